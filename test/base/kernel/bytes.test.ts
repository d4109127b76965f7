import fc from "fast-check";
import { expect, test } from "vitest";
import { cutToJsonBytes, jsonBytes } from "#base/kernel/bytes.ts";

test.each([
  ["abc", 2, "ab"],
  ["aé", 2, "a"],
  ["a€b", 4, "a€"],
  ["😀😀", 7, "😀"],
  ["\u0001\u0001", 11, "\u0001"],
  ['a"', 2, "a"],
  ["a\n", 3, "a\n"],
  ["a", 0, ""],
  ["", 0, ""],
])("%j has at most %i bytes as %j", (text, max, cut) => {
  expect(cutToJsonBytes(text, max)).toBe(cut);
});

test("a text cut to bytes of JSON is the longest beginning that fits, with whole characters", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\0", "\n", '"', "\u2028", "\ufffd") });
  fc.assert(
    fc.property(text, fc.nat(40), (whole, max) => {
      const cut = cutToJsonBytes(whole, max);
      const next = [...whole][[...cut].length] ?? "";
      expect(whole.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
      expect(jsonBytes(cut)).toBeLessThanOrEqual(max);
      if (next) expect(jsonBytes(cut + next)).toBeGreaterThan(max);
    }),
  );
});
