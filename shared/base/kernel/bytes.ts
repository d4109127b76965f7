import { createHash, createHmac, hash, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

export function sha256(data: string | Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}

/** HMAC-SHA256. On Node 24 a KeyObject is several times faster than a Buffer, so long-lived keys are KeyObjects. */
export function hmacSha256(key: KeyObject | string | Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** Compares in constant time. Inputs of different lengths are not equal. */
export function sameBytes(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const left = Buffer.from(a as string);
  const right = Buffer.from(b as string);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Derives a 32-byte key for one purpose from the deployment's root secret. */
export function deriveKey(root: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", root, "parley", purpose, 32));
}

/** The first 22 characters of the SHA-256 in base64url: 132 bits, short enough for a sort key. */
export function shortHash(text: string): string {
  return sha256(text).toString("base64url").slice(0, 22);
}

export function randomToken(bytes: number): Buffer {
  return randomBytes(bytes);
}

/** The SHA-256 of a text in hex. One call into OpenSSL, for loops over short texts. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}

/** The bytes of a text in a JSON document, without its quotation marks. Never fewer than its bytes in UTF-8. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Cuts a text to `max` bytes of JSON without splitting a character. JSON escapes some control characters to six bytes. */
export function cutToJsonBytes(text: string, max: number): string {
  if (jsonBytes(text) <= max) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += jsonBytes(character);
    if (bytes > max) break;
    end += character.length;
  }
  return text.slice(0, end);
}
