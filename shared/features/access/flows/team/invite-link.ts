import type { KeyRing } from "#base/kernel/key-ring.ts";
import { openText, sealText } from "#base/kernel/text/sealed-text.ts";
import type { Millis } from "#base/kernel/time.ts";

const CONTEXT = "invite link 1";
const CHARS_MAX = 200;

/**
 * What the link in the mail of an invite names it by. Only the mail has it: the inviter knows the id of the invite, and could
 * otherwise have a sign-in of its person accept it.
 */
export function sealInviteLink(ring: KeyRing, inviteId: string, now: Millis): string {
  return Buffer.from(sealText(ring, CONTEXT, inviteId, now)).toString("base64url");
}

/** The id of the invite whose mail had this text in its link. Null for any other text. */
export function openInviteLink(ring: KeyRing, text: string): string | null {
  if (text.length > CHARS_MAX) return null;
  const sealed = Buffer.from(text, "base64url");
  return sealed.toString("base64url") === text ? openText(ring, CONTEXT, sealed) : null;
}
