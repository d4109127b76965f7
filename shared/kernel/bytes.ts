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
