import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { answerTime } from "#features/stats/rules.ts";

it.each([
  [0, "within5Minutes"],
  [5 * MINUTE, "within5Minutes"],
  [5 * MINUTE + 1, "within15Minutes"],
  [15 * MINUTE, "within15Minutes"],
  [15 * MINUTE + 1, "within1Hour"],
  [HOUR, "within1Hour"],
  [HOUR + 1, "within4Hours"],
  [4 * HOUR, "within4Hours"],
  [4 * HOUR + 1, "within24Hours"],
  [DAY, "within24Hours"],
  [DAY + 1, "later"],
  [7 * DAY, "later"],
])("an answer after %i ms counts once, as %s", (answeredAfter, time) => {
  expect(answerTime(answeredAfter)).toBe(time);
});
