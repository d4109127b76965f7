import { expect, it } from "vitest";
import { shortDuration, windowOf } from "../../../../web/console/data/window.ts";

const START = Date.parse("2026-11-20T10:00:00Z");
const HOUR = 3_600_000;
const at = (ms: number) => windowOf({ last_inbound_at: new Date(START).toISOString() }, START + ms).state;

it("the window is open for 24 hours, then for a person until the seventh day, by the server's clock", () => {
  expect(at(0)).toBe("open");
  expect(at(22 * HOUR - 1)).toBe("open");
  expect(at(22 * HOUR)).toBe("closing");
  expect(at(24 * HOUR - 1)).toBe("closing");
  expect(at(24 * HOUR)).toBe("person");
  expect(at(7 * 24 * HOUR - 1)).toBe("person");
  expect(at(7 * 24 * HOUR)).toBe("closed");
  expect(windowOf({ last_inbound_at: null }, START)).toEqual({ state: "none", endsAt: 0, left: 0 });
});

it("a full arc empties over 24 hours", () => {
  const left = (hours: number) =>
    windowOf({ last_inbound_at: new Date(START).toISOString() }, START + hours * HOUR).left;
  expect([left(0), left(12), left(18)]).toEqual([1, 0.5, 0.25]);
});

it("a duration has two units at most and is never longer than what is left", () => {
  const minutes = (count: number) => shortDuration(count * 60_000);
  expect([0, 0.5, 41, 59.9].map(minutes)).toEqual(["1 min", "1 min", "41 min", "59 min"]);
  expect([60, 98, 180, 15 * 60 + 50].map(minutes)).toEqual(["1 h", "1 h 38", "3 h", "15 h"]);
  expect([24 * 60, 33 * 60, 76.5 * 60].map(minutes)).toEqual(["24 h", "1 d 9 h", "3 d 4 h"]);
});
