import { expect, test } from "vitest";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import { type KeyRing, keyOfKid, openingKeys, sealingKeyAt } from "#base/kernel/key-ring.ts";
import { addressHashAt, addressHashes } from "#features/access/rules/address-hash.ts";
import { keyVersion, oneKeyRing } from "../../support/world/key-rings.ts";

const ROTATED_AT = 1_000_000;
const older = keyVersion(Buffer.alloc(32, 1));
const newer = { ...keyVersion(Buffer.alloc(32, 2)), sealsFrom: ROTATED_AT };
const before: KeyRing = { current: older, previous: null, next: newer };
const after: KeyRing = { current: newer, previous: older, next: null };
const unknown = oneKeyRing(Buffer.alloc(32, 3));

test("a cursor sealed on either side of a rotation opens on both", () => {
  for (const sealed of [before, after]) {
    const cursor = sealCursor(sealed, "inbox", "50", ROTATED_AT - 1);
    for (const opening of [before, after]) expect(openCursor(opening, "inbox", cursor, ROTATED_AT - 1)).toBe("50");
    expect(openCursor(unknown, "inbox", cursor, ROTATED_AT - 1)).toBeNull();
  }
  expect(sealCursor(before, "inbox", "50", ROTATED_AT - 1)).not.toBe(sealCursor(after, "inbox", "50", ROTATED_AT - 1));
});

test("the key of a kid is found on both sides of a rotation, and an unknown kid has none", () => {
  for (const ring of [before, after]) {
    for (const { kid, key } of [older, newer]) expect(keyOfKid(ring, kid)).toEqual(key);
    expect(keyOfKid(ring, unknown.current.kid)).toBeNull();
  }
});

test("an address has the current hash first, and the same hashes on both sides of a rotation", () => {
  const [current, ...others] = addressHashes(after, "ann@example.com");
  expect(others).toEqual([addressHashes(oneKeyRing(older.key), "ann@example.com")[0]]);
  expect(addressHashes(before, "ann@example.com")).toEqual([...others, current]);
  expect(openingKeys(after)).toEqual([newer, older]);
});

test("a window that began before the rotation keeps its hash until it ends", () => {
  const hashes = addressHashes(after, "203.0.113.9");
  expect(addressHashAt(after, "203.0.113.9", ROTATED_AT - 1)).toBe(hashes[1]);
  expect(addressHashAt(after, "203.0.113.9", ROTATED_AT)).toBe(hashes[0]);
  expect(addressHashAt(before, "203.0.113.9", ROTATED_AT - 1)).toBe(hashes[1]);
  expect(sealingKeyAt(unknown, 0)).toBe(unknown.current);
});
