import type { PlatformName } from "../domain/accounts.ts";
import { INSTAGRAM_TEXT_BYTES_MAX, MESSENGER_TEXT_CHARS_MAX } from "../domain/limits.ts";

/**
 * Whether a text is longer than its platform takes. Instagram counts bytes of UTF-8. Messenger counts characters,
 * read here as Unicode code points: an emoji outside the basic plane is one, a joined family of four is seven.
 */
export function isTooLongFor(platform: PlatformName, text: string): boolean {
  if (platform === "instagram") return Buffer.byteLength(text) > INSTAGRAM_TEXT_BYTES_MAX;
  // A code point is one or two units, so only lengths in between need counting.
  if (text.length <= MESSENGER_TEXT_CHARS_MAX) return false;
  return text.length > 2 * MESSENGER_TEXT_CHARS_MAX || Array.from(text).length > MESSENGER_TEXT_CHARS_MAX;
}
