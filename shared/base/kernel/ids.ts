import { decodeTime, encodeTime, ulid } from "ulid";
import { sha256 } from "./bytes.ts";
import type { Millis } from "./time.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A random ULID of the given time. */
export function newUlid(now: Millis): string {
  // The library reads each of the 16 characters from the system's random numbers on its own, which takes ten times as long.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let next = 0;
  return ulid(now, () => (bytes[next++] ?? 0) / 256);
}

/** Identifies one write of an item: 10 random characters, 50 bits. */
export function newOp(now: Millis): string {
  return newUlid(now).slice(-10);
}

/** A ULID whose time is `at` and whose other 80 bits are a hash of `seed`. The same inputs give the same ULID. */
export function deriveUlid(at: Millis, seed: string): string {
  const digest = sha256(seed);
  let bits = 0n;
  for (const byte of digest.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let tail = "";
  for (let i = 0; i < 16; i++) {
    tail = CROCKFORD.charAt(Number(bits & 31n)) + tail;
    bits >>= 5n;
  }
  return encodeTime(at, 10) + tail;
}

/** The first ULID of a millisecond. Every ULID created at or after `at` sorts at or after it. */
export function ulidFloor(at: Millis): string {
  return encodeTime(at, 10) + "0".repeat(16);
}

/** The last ULID of a millisecond. Every ULID created at or before `at` sorts at or before it. */
export function ulidCeiling(at: Millis): string {
  return encodeTime(at, 10) + "Z".repeat(16);
}

export function ulidTime(id: string): Millis {
  return decodeTime(id);
}

export function isUlid(text: string): boolean {
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);
}
