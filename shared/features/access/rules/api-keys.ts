import type { Scope } from "#features/inbox/rules/messages.ts";

// An API key is `svc_live_` or `svc_test_`, 40 random base62 characters and a base62 CRC-32 of everything before it.
// The checksum rejects a mistyped or invented key without a read, and secret scanners can match
// svc_(live|test)_[0-9A-Za-z]{46}.

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 40;
const CHECK_CHARS = 6;
const API_KEY_PATTERN = /^svc_(live|test)_[0-9A-Za-z]{46}$/;

/** How many random bytes `formatApiKey` needs. It skips bytes of 248 and above, which would bias the characters. */
export const API_KEY_RANDOM_BYTES = 80;

export function formatApiKey(scope: Scope, random: Uint8Array): string {
  let chars = "";
  for (const byte of random) {
    if (chars.length === RANDOM_CHARS) break;
    if (byte < 248) chars += BASE62.charAt(byte % 62);
  }
  if (chars.length < RANDOM_CHARS) throw new Error("Not enough random bytes for an API key.");
  const body = `svc_${scope}_${chars}`;
  return body + checksum(body);
}

/** @returns null when the format or the checksum is wrong */
export function parseApiKey(text: string): string | null {
  if (!API_KEY_PATTERN.test(text)) return null;
  const body = text.slice(0, -CHECK_CHARS);
  return checksum(body) === text.slice(-CHECK_CHARS) ? text : null;
}

/** The part of a key that may be shown: its kind and four characters. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, "svc_live_".length + 4);
}

function checksum(body: string): string {
  let remainder = crc32(body);
  let text = "";
  for (let i = 0; i < CHECK_CHARS; i++) {
    text = BASE62.charAt(remainder % 62) + text;
    remainder = Math.floor(remainder / 62);
  }
  return text;
}

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
