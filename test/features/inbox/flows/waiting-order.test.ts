import { expect, it, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { orderedPostponement } from "#features/inbox/flows/waiting-order.ts";

const NOW = 1_793_000_000_123;
const key = "instagram#17841400000000001";

const dueAt = (at: number, now = NOW) => now + orderedPostponement({ key, at }, now);

it("messages of one key that wait for the end of an outage come back in the order of their times, whenever they were received in a round", () => {
  const times = Array.from({ length: 60 }, (_, i) => NOW - HOUR + i * MINUTE);
  // Received in a row, in no order, a second apart.
  const dues = times.map((at, i) => dueAt(at, NOW + ((i * 7) % 11) * SECOND));
  expect(dues).toEqual(dues.toSorted((one, other) => one - other));
  expect((dues.at(-1) ?? 0) - (dues[0] ?? 0)).toBeLessThan(2 * MINUTE);
});

it("messages of one key that wait for the end of an outage come back once in ten minutes, and wait for a minute to 13", () => {
  const delays = Array.from({ length: 600 }, (_, i) => orderedPostponement({ key, at: NOW - HOUR }, NOW + i * SECOND));
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(MINUTE);
  expect(Math.max(...delays)).toBeLessThanOrEqual(13 * MINUTE);
  expect(dueAt(NOW, NOW + 20 * MINUTE) - dueAt(NOW - 10 * MINUTE, NOW + 10 * MINUTE)).toBe(10 * MINUTE);
});

test("different keys come back at different times", () => {
  const delays = Array.from({ length: 100 }, (_, i) => orderedPostponement({ key: `key ${i}`, at: NOW }, NOW));
  expect(new Set(delays.map((delay) => Math.floor(delay / MINUTE))).size).toBeGreaterThan(8);
});
