import { expect, test } from "vitest";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { isRefreshDue, isTokenExpired } from "#features/accounts/rules/refresh-due.ts";

const issuedAt = Date.UTC(2026, 10, 21);

test.each([
  ["is young", 0, 60 * DAY, false],
  ["is a moment short of 30 days old", 30 * DAY - 1, 60 * DAY, false],
  ["is 30 days old", 30 * DAY, 60 * DAY, true],
  ["has a moment more than 20 days left", 10 * DAY - 1, 30 * DAY, false],
  ["has 20 days left", 10 * DAY, 30 * DAY, true],
  ["has 5 days left in all and is a moment short of 24 hours old", 24 * HOUR - 1, 5 * DAY, false],
  ["has 5 days left in all and is 24 hours old", 24 * HOUR, 5 * DAY, true],
  ["has expired", 61 * DAY, 60 * DAY, true],
  ["has an unknown end and is 29 days old", 29 * DAY, null, false],
  ["has an unknown end and is 30 days old", 30 * DAY, null, true],
] as const)("the token of an Instagram Login account that %s", (_name, age, life, isDue) => {
  const token = {
    connection: "instagram_login",
    lastRefreshedAt: issuedAt,
    tokenExpiresAt: life === null ? null : issuedAt + life,
  } as const;
  expect(isRefreshDue(token, issuedAt + age)).toBe(isDue);
});

test("the token of an Instagram Login account of unknown age is refreshed", () => {
  const token = { connection: "instagram_login", lastRefreshedAt: null, tokenExpiresAt: null } as const;
  expect(isRefreshDue(token, issuedAt)).toBe(true);
});

test.each(["instagram_page", "messenger"] as const)("a page token is never refreshed: %s", (connection) => {
  const token = { connection, lastRefreshedAt: issuedAt, tokenExpiresAt: null };
  expect(isRefreshDue(token, issuedAt + 400 * DAY)).toBe(false);
});

test("a token has expired at its end", () => {
  const tokenExpiresAt = issuedAt + 60 * DAY;
  expect(isTokenExpired({ tokenExpiresAt }, tokenExpiresAt - 1)).toBe(false);
  expect(isTokenExpired({ tokenExpiresAt }, tokenExpiresAt)).toBe(true);
  expect(isTokenExpired({ tokenExpiresAt: null }, tokenExpiresAt)).toBe(false);
});
