import fc from "fast-check";
import { expect, test } from "vitest";
import {
  instagramMid,
  instagramThreadId,
  messengerMid,
  parseInstagramMid,
} from "../../../packages/simulator/src/world/mids.ts";

test("an Instagram message id can be parsed: account, thread and microseconds", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 17n), fc.bigInt(1n, 10n ** 39n), fc.bigInt(0n, 10n ** 16n), (a, t, micros) => {
      const parts = { accountId: String(a), threadId: String(t), micros };
      const mid = instagramMid(parts);
      expect(parseInstagramMid(mid)).toEqual(parts);
      expect(mid).toMatch(/^[A-Za-z0-9]+$/);
    }),
  );
});

test("an Instagram message id is as long as a real one and writes Z, +, / and = with two letters", () => {
  const mid = instagramMid({
    accountId: "17841405793187218",
    threadId: instagramThreadId(),
    micros: 1_790_000_000_000_000n,
  });
  expect(mid).toMatch(/^aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOj.*ZDZD$/);
  expect(mid.length).toBeGreaterThanOrEqual(160);
  expect(mid.length).toBeLessThan(190);
});

test("any other text than an Instagram message id parses as null", () => {
  expect(parseInstagramMid("m_abc")).toBeNull();
  expect(parseInstagramMid("")).toBeNull();
});

test("a Messenger message id is m_ and 86 random base64url characters", () => {
  expect(messengerMid()).toMatch(/^m_[A-Za-z0-9_-]{86}$/);
  expect(messengerMid()).not.toBe(messengerMid());
});
