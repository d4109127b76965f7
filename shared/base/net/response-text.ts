import { RESPONSE_TEXT_BYTES_MAX } from "../kernel/limits.ts";

/** What looks like one of Parley's secrets and signatures, or another credential: a receiver may answer with its request. */
const SECRETS = /\b(?:whs(?:ec)?_|svc_(?:live|test)_|v1[=,]|(?:bearer|basic)\s)[\w+/=.-]+/gi;

/** Controls other than tab and line breaks: the body is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BINARY = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * The beginning of a response's body as text, without secrets, at most 256 bytes of UTF-8.
 * @param body its first bytes, up to 256; of 256, the last character may be incomplete
 * @returns null for an empty body, and for one that is no text in UTF-8
 */
export function responseText(body: Uint8Array): string | null {
  const text = decodeText(body);
  if (text === null || text === "" || BINARY.test(text)) return null;
  return truncate(text.replace(SECRETS, "[redacted]"));
}

function decodeText(bytes: Uint8Array): string | null {
  const isCut = bytes.length >= RESPONSE_TEXT_BYTES_MAX;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

/** A redaction may be longer than what it replaces. */
function truncate(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RESPONSE_TEXT_BYTES_MAX) return text;
  return decodeText(bytes.subarray(0, RESPONSE_TEXT_BYTES_MAX)) ?? text;
}
