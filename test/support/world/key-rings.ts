import { sha256Hex } from "#base/kernel/bytes.ts";
import type { KeyRing, KeyVersion } from "#base/kernel/key-ring.ts";

/** A ring of one key, as it is before the first rotation. */
export function oneKeyRing(key: Uint8Array): KeyRing {
  return { current: keyVersion(key), previous: null, next: null };
}

export function keyVersion(key: Uint8Array): KeyVersion {
  return { kid: sha256Hex(Buffer.from(key).toString("hex")).slice(0, 8), key: Buffer.from(key), sealsFrom: 0 };
}
