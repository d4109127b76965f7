import { expect, test } from "vitest";
import { deriveKey } from "#base/kernel/bytes.ts";
import type { KeyRing, KeyVersion } from "#base/kernel/key-ring.ts";
import { openText, sealText } from "#base/kernel/text/sealed-text.ts";

const NOW = 1_790_000_000_000;
const version = (kid: string): KeyVersion => ({ kid, key: deriveKey(kid, "test"), sealsFrom: 0 });
const ring = (current: string, previous: string | null = null): KeyRing => ({
  current: version(current),
  previous: previous === null ? null : version(previous),
  next: null,
});

test("a sealed text opens with the key that sealed it, also after a rotation, and not after the next one", () => {
  const sealed = sealText(ring("one"), "row 1", "mara@example.com, ü", NOW);
  expect(openText(ring("one"), "row 1", sealed)).toBe("mara@example.com, ü");
  expect(openText(ring("two", "one"), "row 1", sealed)).toBe("mara@example.com, ü");
  expect(openText(ring("three", "two"), "row 1", sealed)).toBeNull();
});

test("a sealed text opens in no other context, and not when one bit differs or bytes are missing", () => {
  const sealed = sealText(ring("one"), "row 1", "text", NOW);
  expect(openText(ring("one"), "row 2", sealed)).toBeNull();
  for (let bit = 0; bit < sealed.byteLength * 8; bit++) {
    const altered = Uint8Array.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(openText(ring("one"), "row 1", altered)).toBeNull();
  }
  for (let length = 0; length < sealed.byteLength; length++) {
    expect(openText(ring("one"), "row 1", sealed.subarray(0, length))).toBeNull();
  }
});

test("a key that was replaced opens what it sealed before that, and nothing that names a later time", () => {
  const replaced: KeyRing = { ...ring("two"), previous: { ...version("one"), sealsUntil: NOW } };
  const open = (now: number, issuedAt?: number) =>
    openText(
      replaced,
      "row 1",
      sealText(ring("one"), "row 1", "text", now),
      issuedAt === undefined ? undefined : () => issuedAt,
    );
  expect([open(NOW - 1), open(NOW), open(2 ** 48 - 1)]).toEqual(["text", null, null]);
  expect([open(NOW - 1, NOW - 1), open(NOW - 1, NOW)]).toEqual(["text", null]);
});

test("the same text is sealed differently each time", () => {
  const seals = Array.from({ length: 20 }, () =>
    Buffer.from(sealText(ring("one"), "row 1", "text", NOW)).toString("hex"),
  );
  expect(new Set(seals).size).toBe(20);
});
