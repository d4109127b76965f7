import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openClock, parseDuration, sharedClock } from "#local-aws/support/clock.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#local-aws/support/time.ts";
import { newTempFolder } from "../../../support/assemblies/assemblies.ts";

it.each([
  ["PT24H", DAY],
  ["P1D", DAY],
  ["P2W", 14 * DAY],
  ["P1DT2H3M4S", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND],
  ["PT0.001S", 1],
  ["P3650D", 3_650 * DAY],
])("an advance of the clock of %s is %d ms", (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

it.each([
  ...["", "P", "PT", "P1DT", "1D", "PT0S", "-PT1H", "PT-1H", "+PT1H", "P1M", "P1Y", "PT1.5H", "PT0.0001S"],
  ...["P3650DT0.001S", " PT1H", "PT1H ", "pt1h", "PT1M1H"],
])("an advance of the clock of %j is rejected", (text) => {
  expect(parseDuration(text)).toBeNull();
});

it("an advance of the clock accepts any combination of whole parts", () => {
  const part = fc.integer({ min: 0, max: 400 });
  fc.assert(
    fc.property(part, part, part, part, (days, hours, minutes, seconds) => {
      const total = days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
      expect(parseDuration(`P${days}DT${hours}H${minutes}M${seconds}S`)).toBe(total || null);
    }),
  );
});

describe("the stack's clock", () => {
  const folder = newTempFolder();
  afterEach(folder.remove);

  it("the stack's clock continues from its advanced time, in another thread and after a restart", () => {
    const clock = openClock(folder.path);
    const elsewhere = sharedClock(clock.shared);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
    clock.advance(40 * DAY);
    clock.advance(HOUR);
    const expected = Date.now() + 40 * DAY + HOUR;
    for (const now of [clock.now(), elsewhere(), openClock(folder.path).now()]) {
      expect(Math.abs(now - expected)).toBeLessThan(1_000);
    }
  });
});
