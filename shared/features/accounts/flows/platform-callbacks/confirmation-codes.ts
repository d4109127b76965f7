import { hmacSha256 } from "#base/kernel/bytes.ts";
import { type KeyRing, openingKeys } from "#base/kernel/key-ring.ts";

const CODE_CHARS = 32;

/** The form of a confirmation code: 128 bits. Platforms accept letters and digits. */
export function isConfirmationCode(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/**
 * The confirmation code of a person's data deletion. It is derived from their id at the platform, so that a repeated
 * request has the same code and no row names the person.
 */
export function confirmationCode(keys: KeyRing, platformUserId: string): string {
  return toCode(keys.current.key, platformUserId);
}

/** The codes of the person before and after a rotation of the key, the most likely one first. */
export function confirmationCodes(keys: KeyRing, platformUserId: string): readonly string[] {
  return openingKeys(keys).map(({ key }) => toCode(key, platformUserId));
}

function toCode(key: Buffer, platformUserId: string): string {
  return hmacSha256(key, platformUserId).toString("hex").slice(0, CODE_CHARS);
}
