import { expect, test } from "vitest";
import { parseRetryAfter } from "#base/kernel/time.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["0", 0],
  ["120", 120_000],
  [" 5 ", 5_000],
  ["9".repeat(400), 1e12],
  ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
  ["Sun, 01 Mar 2026 12:00:00 GMT", 0],
  ["Sun, 01 Mar 2026 11:59:00 GMT", 0],
])("%s is a valid wait", (header, wait) => {
  expect(parseRetryAfter(header, now)).toBe(wait);
});

test.each([undefined, "", "-1", "1.5", "soon", "2026-03-01", "Sun, 99 Mar 2026 12:00:30 GMT", "1e3", [] as string[]])(
  "%j is not a valid wait",
  (header) => {
    expect(parseRetryAfter(header, now)).toBeNull();
  },
);

test("the first of several headers counts", () => {
  expect(parseRetryAfter(["7", "9"], now)).toBe(7_000);
});
