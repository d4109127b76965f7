import type { KeyRing, KeyVersion } from "../key-ring.ts";

// The text of a version of the root secret is random characters. That of a version that replaced a leaked one is JSON:
// random characters, and the hashing keys of the versions before it. Its keys are derived from the whole text.

/** What the keys hash for rows of the table. They prove nothing to the service, so those of a leaked version go on. */
export const hashingPurposes = ["pepper", "address", "dataDeletion"] as const;
type HashingPurpose = (typeof hashingPurposes)[number];
type HashingRings = Readonly<Record<HashingPurpose, KeyRing>>;

/** The keys of an earlier version, by purpose. */
export type EarlierKeys = Readonly<Record<HashingPurpose, KeyVersion>>;

/** 32 bytes in base64url. */
const KEY_PATTERN = /^[\w-]{43}$/;

/**
 * The text of a version that replaces a leaked one. The service seals and opens with none of the versions before it, but
 * finds what they hashed: API keys, addresses and data deletions.
 * @param root random characters
 * @param rings of all versions before it
 */
export function toTextAfterLeak(root: string, rings: HashingRings): string {
  const byPurpose = hashingPurposes.map((purpose) => [purpose, ringKeys(rings[purpose])] as const);
  const kids = ringKeys(rings.pepper).map(({ kid }) => kid);
  const earlier = kids.map((kid, index) => ({
    kid,
    ...Object.fromEntries(byPurpose.map(([purpose, keys]) => [purpose, keys[index]?.key.toString("base64url")])),
  }));
  return JSON.stringify({ root, earlier });
}

/** The versions before one that replaced a leaked one, that which hashed last first. Null for any other text. */
export function parseTextAfterLeak(text: string): readonly EarlierKeys[] | null {
  if (!text.startsWith("{")) return null;
  try {
    const { earlier } = JSON.parse(text) as { readonly earlier: readonly Readonly<Record<string, unknown>>[] };
    return earlier.length === 0 ? null : earlier.map(toEarlierKeys);
  } catch {
    // An operator may have stored any text.
    return null;
  }
}

function toEarlierKeys({ kid, ...keys }: Readonly<Record<string, unknown>>): EarlierKeys {
  const toVersion = (key: unknown): KeyVersion => {
    if (typeof kid !== "string" || typeof key !== "string" || !KEY_PATTERN.test(key)) throw new Error("No key.");
    return { kid, key: Buffer.from(key, "base64url"), sealsFrom: 0 };
  };
  const { pepper, address, dataDeletion } = keys;
  return { pepper: toVersion(pepper), address: toVersion(address), dataDeletion: toVersion(dataDeletion) };
}

/** The current key first: with it the functions go on hashing until each has read the new version. */
function ringKeys({ current, next, previous, earlier = [] }: KeyRing): readonly KeyVersion[] {
  return [current, next, previous, ...earlier].filter((version) => version !== null);
}
