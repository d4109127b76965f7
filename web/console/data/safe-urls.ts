// Addresses in what strangers write. Only https is followed; the simulator of a local stack serves its files over http.

const LOCAL_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The address of a picture, video or file; null for an address that is not shown. @param host the host name of the page */
export function mediaUrl(url: string | null, host: string): string | null {
  const address = url === null ? null : URL.parse(url);
  if (address?.username !== "" || address.password !== "") return null;
  const isLocal = address.protocol === "http:" && LOCAL_HOSTS.has(host) && LOCAL_HOSTS.has(address.hostname);
  return address.protocol === "https:" || isLocal ? address.href : null;
}

export type TextPart = { readonly text: string; readonly href?: string };

const LINK = /https:\/\/[^\s<>"'`\u2066-\u2069\u202a-\u202e\u200e\u200f]{1,2000}/giu;

/** Splits a text at its https links. A link shows exactly the address that it opens. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(LINK)) {
    const shown = withoutPunctuation(match[0]);
    const address = URL.parse(shown);
    if (address?.protocol !== "https:" || address.username !== "" || address.password !== "") continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: shown, href: address.href });
    end = match.index + shown.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The signs after an address that belong to the sentence. */
const PUNCTUATION = ".,;:!?)]}…";

function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
