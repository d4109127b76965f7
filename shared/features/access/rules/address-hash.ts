import { hmacSha256 } from "#base/kernel/bytes.ts";
import { type KeyRing, openingKeys, sealingKeyAt } from "#base/kernel/key-ring.ts";
import type { Millis } from "#base/kernel/time.ts";

/**
 * The hashes that stand for an email or source address in item keys: under the current key, then under each other key
 * of the ring. Rows are written under the first. A reader tries each, because a row moves to the first only when its
 * address is used.
 * @param address in its normal form
 */
export function addressHashes(keys: KeyRing, address: string): readonly [current: string, ...others: string[]] {
  const [current, ...others] = openingKeys(keys).map(({ key }) => addressHash(key, address));
  return [current as string, ...others];
}

/** The hash for a counter of a fixed window: a rotation inside the window does not restart the counter. */
export function addressHashAt(keys: KeyRing, address: string, windowStart: Millis): string {
  return addressHash(sealingKeyAt(keys, windowStart).key, address);
}

function addressHash(key: Uint8Array, address: string): string {
  return hmacSha256(key, address).toString("base64url");
}
