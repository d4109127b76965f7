import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto";

export function hmacSha256(key: KeyObject | string | Uint8Array, data: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

/** The SHA-256 in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** Compares in constant time. Inputs of different lengths are not equal. */
export function sameBytes(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const left = Buffer.from(a as string);
  const right = Buffer.from(b as string);
  return left.length === right.length && timingSafeEqual(left, right);
}
