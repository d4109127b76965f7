import { firstWordAfter, hashPrefix } from "./sha256.ts";

const ZERO = 48;
const NINE = 57;

/** One puzzle of a challenge. `number` counts from 1. */
export interface Puzzle {
  readonly token: string;
  readonly number: number;
  readonly saltChars: number;
  readonly targetChars: number;
}

/** Finds the smallest n >= 0 such that the hex SHA-256 of salt + decimal n starts with the target. */
export function solve({ token, number, saltChars, targetChars }: Puzzle): number {
  const salt = pseudorandomHex(`${token}${number}`, saltChars);
  const target = Number.parseInt(pseudorandomHex(`${token}${number}d`, targetChars), 16);
  const shift = 32 - 4 * targetChars;
  const firstWord = firstWordAfter(hashPrefix(salt));
  const digits = new Uint8Array(16).fill(ZERO);
  let count = 1;
  for (let nonce = 0; ; nonce++) {
    if (firstWord(digits, count) >>> shift === target) return nonce;
    count = increment(digits, count);
  }
}

/** Adds one to a decimal number in ASCII and returns its length. Much cheaper than formatting each number. */
function increment(digits: Uint8Array, count: number): number {
  let at = count - 1;
  while (at >= 0 && digits[at] === NINE) {
    digits[at] = ZERO;
    at--;
  }
  if (at >= 0) {
    digits[at] = (digits[at] as number) + 1;
    return count;
  }
  digits[0] = ZERO + 1;
  digits[count] = ZERO;
  return count + 1;
}

/** FNV-1a of the seed, then xorshift32: how Cap's wire format derives salts and targets from a token. */
function pseudorandomHex(seed: string, length: number): string {
  let state = 2166136261;
  for (let i = 0; i < seed.length; i++) {
    state ^= seed.charCodeAt(i);
    state += (state << 1) + (state << 4) + (state << 7) + (state << 8) + (state << 24);
  }
  state >>>= 0;
  let hex = "";
  while (hex.length < length) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    hex += (state >>> 0).toString(16).padStart(8, "0");
  }
  return hex.slice(0, length);
}
