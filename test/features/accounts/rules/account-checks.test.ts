import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { type AccountRef, checkDelay, nextCheckTime } from "#features/accounts/rules/accounts.ts";

const NOON: Millis = Date.UTC(2026, 10, 12, 12);
const accounts = Array.from({ length: 300 }, (_, i): AccountRef => ({ platform: "messenger", externalId: `10${i}` }));

/** How many looks for what is due, one an hour, pass from a check to the next one. */
function looksBetween(account: AccountRef, firstLook: Millis, interval: Millis): number {
  const dueAt = nextCheckTime(account, firstLook + checkDelay(account), interval);
  return Math.max(1, Math.ceil((dueAt - firstLook) / HOUR));
}

it("the next check of an account is in an hour where accounts are checked every hour, whichever its place in the hour", () => {
  for (let minute = 0; minute < 60; minute += 5) {
    const looks = accounts.map((account) => looksBetween(account, NOON + minute * MINUTE, HOUR));
    expect(new Set(looks)).toEqual(new Set([1]));
  }
});

it("the next check of an account is at the account's time of the next day where accounts are checked once a day", () => {
  const checked = accounts.map((account) => nextCheckTime(account, NOON, DAY));
  expect(checked.every((at) => at > NOON && at <= NOON + DAY)).toBe(true);
  expect(accounts.map((account, i) => nextCheckTime(account, checked[i] ?? 0, DAY) - (checked[i] ?? 0))).toEqual(
    accounts.map(() => DAY),
  );
});
