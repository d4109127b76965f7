import fc from "fast-check";
import { expect, test } from "vitest";
import { deriveUlid, isUlid, newUlid, ulidFloor, ulidTime } from "#base/kernel/ids.ts";
import { parseTenant } from "#base/kernel/tenant.ts";

test("a derived id is a ULID of its time, the same for the same seed and different for another", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 47 }), fc.string(), fc.string(), (at, seed, other) => {
      const id = deriveUlid(at, seed);
      expect(isUlid(id)).toBe(true);
      expect(ulidTime(id)).toBe(at);
      expect(deriveUlid(at, seed)).toBe(id);
      if (other !== seed) expect(deriveUlid(at, other)).not.toBe(id);
      expect(ulidFloor(at) <= id && id < ulidFloor(at + 1)).toBe(true);
    }),
  );
});

test("new ids sort by their time", () => {
  expect(newUlid(1_000) < newUlid(1_001)).toBe(true);
});

test.each([
  ["abc", true],
  ["ab", false],
  ["a1-", false],
  ["a-1", true],
  ["1ab", false],
  ["Abc", false],
  [`a${"b".repeat(39)}`, true],
  [`a${"b".repeat(40)}`, false],
  ["a#b", false],
  ["", false],
])("the tenant slug %j is valid: %s", (slug, valid) => {
  expect(parseTenant(slug) !== null).toBe(valid);
});
