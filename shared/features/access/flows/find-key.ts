import { hmacSha256 } from "#base/kernel/bytes.ts";
import { type KeyVersion, openingKeys, replacedKeys } from "#base/kernel/key-ring.ts";
import type { KeyPorts } from "../ports.ts";
import type { ApiKey, KeyLookup } from "../store/api-key-items.ts";

/** How often a key is read while other writes change its lookup row. */
const ATTEMPTS_MAX = 5;

/** The lookup hash of a key. It needs the pepper, so write access to the table alone cannot add a key. */
export function apiKeyHash(pepper: Uint8Array, key: string): string {
  return hmacSha256(pepper, key).toString("hex");
}

/** Where a key is looked up under a pepper. */
export function keyLookup({ kid, key: pepper }: KeyVersion, secret: string): KeyLookup {
  return { hash: apiKeyHash(pepper, secret), kid };
}

export interface StoredKey {
  readonly key: ApiKey;
  /** The hash that its lookup row has now. */
  readonly hash: string;
}

/**
 * Finds a key under any pepper of the ring, with one read on the ordinary path. An active key that is found under a
 * replaced pepper is moved to the current one, in one transaction.
 */
export async function findKey(ports: KeyPorts, secret: string): Promise<StoredKey | null> {
  const ring = await ports.peppers();
  const [current, ...others] = openingKeys(ring).map((pepper) => keyLookup(pepper, secret));
  if (!current) return null;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const storedKey = await findUnder(ports, [current, ...others]);
    // A request that moves the key between two reads hides it from both.
    if (!storedKey && others.length > 0) return findUnder(ports, [current]);
    const isReplaced = replacedKeys(ring).some(({ kid }) => kid === storedKey?.kid);
    const isMovable = storedKey?.key.status === "active" && isReplaced;
    if (!storedKey || !isMovable) return storedKey;
    if (await ports.apiKeys.moveLookup(storedKey.key, storedKey.hash, current)) return { ...storedKey, ...current };
  }
  throw new Error("The lookup row of the API key changed too often.");
}

async function findUnder(ports: KeyPorts, lookups: readonly KeyLookup[]): Promise<(StoredKey & KeyLookup) | null> {
  for (const lookup of lookups) {
    const key = await ports.apiKeys.getByHash(lookup.hash);
    if (key) return { ...lookup, key };
  }
  return null;
}
