const ADDRESS_CHARS_MAX = 254;
const LOCAL_PART_CHARS_MAX = 64;
/** Mail services accept only ASCII before the @. */
const LOCAL_PART = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
/** What the URL parser would drop, decode or read as another part of a URL. */
const NOT_IN_DOMAIN = /[\p{C}\p{Z}/\\?#@:%[\]<>^|]/u;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** At least two labels, and the last one is no number: an IP address is no domain. */
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?=[a-z0-9-]*[a-z])${LABEL}$`);

/**
 * The normal form of an email address: lower case, with its domain in IDNA. Two spellings of one address have one form.
 * @returns null when the text is no address, or longer than 254 characters
 */
export function parseEmailAddress(text: string): string | null {
  if (text.length > ADDRESS_CHARS_MAX) return null;
  const at = text.lastIndexOf("@");
  const localPart = text.slice(0, Math.max(0, at));
  const domain = toAsciiDomain(text.slice(at + 1));
  if (localPart.length > LOCAL_PART_CHARS_MAX || !LOCAL_PART.test(localPart) || domain === null) return null;
  const address = `${localPart.toLowerCase()}@${domain}`;
  return address.length > ADDRESS_CHARS_MAX ? null : address;
}

/** An address that only who knows it recognizes: `m…@example.com`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return `${at > 1 ? address.slice(0, 1) : ""}…${address.slice(at)}`;
}

function toAsciiDomain(text: string): string | null {
  const url = `http://${text}/`;
  if (NOT_IN_DOMAIN.test(text) || !URL.canParse(url)) return null;
  const domain = new URL(url).hostname;
  return DOMAIN.test(domain) ? domain : null;
}
