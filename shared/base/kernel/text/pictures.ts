import { PICTURE_TTL, PICTURE_URL_CHARS_MAX } from "../limits.ts";
import { type Millis, SECOND } from "../time.ts";

/** A picture on the platform's servers. Its URL is returned unchanged, and not after it has expired. */
export interface Picture {
  readonly url: string;
  readonly expiresAt: Millis;
}

/**
 * Encodes spaces, and reads the expiry from the URL.
 * @param address as the platform named it; null for none
 * @returns null without an address, and for one that is not a web address or is too long to store
 */
export function toPicture(address: string | null, fetchedAt: Millis): Picture | null {
  if (address === null) return null;
  const url = address.replaceAll(" ", "%20");
  if (url.length > PICTURE_URL_CHARS_MAX || !/^[!-~]+$/.test(url) || !URL.canParse(url)) return null;
  const { protocol, searchParams } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return null;
  const end =
    parseSeconds(searchParams.get("oe"), /^[\da-f]{8}$/i, 16) ?? parseSeconds(searchParams.get("ext"), /^\d{10}$/, 10);
  return { url, expiresAt: end === null ? fetchedAt + PICTURE_TTL : end * SECOND };
}

function parseSeconds(text: string | null, pattern: RegExp, radix: number): number | null {
  return text !== null && pattern.test(text) ? Number.parseInt(text, radix) : null;
}
