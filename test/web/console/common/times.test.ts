import { expect, it } from "vitest";
import { dayName, daysBetween, deadline, shortAge, timeOfDay } from "../../../../web/console/common/times.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In the time zone of this machine. */
const at = (day: number, hour = 0, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

it.each([
  [-5_000, "now"],
  [59_999, "now"],
  [MINUTE, "1 min"],
  [59 * MINUTE, "59 min"],
  [98 * MINUTE, "1 h"],
  [24 * HOUR - 1, "23 h"],
])("an age of %i ms is %s", (age, text) => {
  const now = at(20, 12);
  expect(shortAge(now - age, now)).toBe(text);
});

it("an age of a day and more is a weekday", () => {
  const now = at(20, 12);
  expect(shortAge(now - 24 * HOUR, now)).toBe(new Intl.DateTimeFormat(undefined, { weekday: "short" }).format(at(19)));
});

it("days are counted by midnights, not by 24 hours", () => {
  expect(daysBetween(at(19, 23, 59), at(20, 0, 1))).toBe(1);
  expect(daysBetween(at(20, 0, 1), at(20, 23, 59))).toBe(0);
  expect(daysBetween(at(20), at(18, 23))).toBe(-2);
  // The night in which summer time ends in much of the world has 25 hours.
  expect(daysBetween(new Date(2026, 9, 24, 12).getTime(), new Date(2026, 9, 26, 12).getTime())).toBe(2);
});

it("the heading of a day is Today, Yesterday or its date", () => {
  const now = at(20, 0, 30);
  expect([dayName(at(20), now), dayName(at(19, 23), now)]).toEqual(["Today", "Yesterday"]);
  expect(dayName(at(18, 23), now)).toContain("18");
});

it("a deadline says today, tomorrow or the weekday, with its time", () => {
  const now = at(20, 12);
  const evening = timeOfDay(at(20, 18, 5));
  expect(deadline(at(20, 18, 5), now)).toBe(`${evening} today`);
  expect(deadline(at(21, 18, 5), now)).toBe(`${evening} tomorrow`);
  const weekday = new Intl.DateTimeFormat(undefined, { weekday: "long" }).format(at(22));
  expect(deadline(at(22, 18, 5), now)).toBe(`${weekday}, ${evening}`);
});
