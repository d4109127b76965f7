import { expect, test } from "vitest";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { buildProfile, isProfileDue } from "#features/inbox/rules/profiles.ts";

const NOW = 1_793_000_000_123;
const person = { name: "Ada Lind", username: "ada.lind", pictureUrl: null };

test("a profile has the user name as handle, or the full name without one", () => {
  expect(buildProfile(person, NOW)).toEqual({
    state: "complete",
    handle: "ada.lind",
    username: "ada.lind",
    name: "Ada Lind",
    picture: null,
  });
  expect(buildProfile({ ...person, username: null }, NOW)).toMatchObject({
    handle: "Ada Lind",
    username: null,
    name: "Ada Lind",
  });
  expect(buildProfile({ ...person, name: null }, NOW)).toMatchObject({ state: "complete", handle: "ada.lind" });
});

test("a profile without any name is partial, even with a picture", () => {
  const pictureUrl = "https://cdn.example/a.jpg";
  expect(buildProfile({ name: null, username: null, pictureUrl }, NOW)).toEqual({
    state: "partial",
    handle: null,
    username: null,
    name: null,
    picture: { url: pictureUrl, expiresAt: NOW + 3 * DAY },
  });
});

test.each([
  ["pending", null, true],
  ["pending", NOW - 1, true],
  ["complete", NOW - 24 * HOUR + 1, false],
  ["complete", NOW - 24 * HOUR, true],
  ["partial", NOW - 24 * HOUR + 1, false],
  ["partial", NOW - 24 * HOUR, true],
  ["unavailable", NOW - 24 * HOUR + 1, false],
  ["unavailable", NOW - 24 * HOUR, true],
] as const)("a profile that is %s since %s is due: %s", (state, fetchedAt, due) => {
  expect(isProfileDue(state, fetchedAt, NOW)).toBe(due);
});
