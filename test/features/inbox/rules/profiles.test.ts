import { expect, test } from "vitest";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { buildProfile, isProfileDue, toPicture } from "#features/inbox/rules/profiles.ts";

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

const end = 0x6ae0_1c2f * 1_000;

test.each([
  ["https://cdn.example/a.jpg?_nc_cat=1&oe=6AE01C2F&oh=x", end],
  ["https://cdn.example/a.jpg?oe=6ae01c2f", end],
  ["https://lookaside.example/pic/?psid=1&ext=1793072175&hash=y", 1_793_072_175_000],
  ["https://cdn.example/a.jpg", NOW + 3 * DAY],
  ["https://cdn.example/a.jpg?oe=tomorrow", NOW + 3 * DAY],
  ["https://cdn.example/a.jpg?oe=6AE01C2F0", NOW + 3 * DAY],
  ["https://cdn.example/a.jpg?oe=-6AE01C2", NOW + 3 * DAY],
  ["https://cdn.example/a.jpg?ext=6AE01C2F01", NOW + 3 * DAY],
  ["http://127.0.0.1:4000/media/1.png", NOW + 3 * DAY],
])("a picture at %s expires at %s", (url, expiresAt) => {
  expect(toPicture(url, NOW)).toEqual({ url, expiresAt });
});

test("a picture's URL with spaces is encoded", () => {
  expect(toPicture("https://cdn.example/a b.jpg?oe=6AE01C2F", NOW)).toEqual({
    url: "https://cdn.example/a%20b.jpg?oe=6AE01C2F",
    expiresAt: end,
  });
});

test("a picture's URL of at most 600 characters is stored, a longer one is not", () => {
  const url = "https://cdn.example/".padEnd(600, "a");
  expect(toPicture(url, NOW)?.url).toBe(url);
  expect(toPicture(`${url}a`, NOW)).toBeNull();
});

test.each([
  "",
  "a.jpg",
  "javascript:alert(1)",
  "data:image/png;base64,AA==",
  "https://cdn.example/\n",
  "https://é.example/",
])("there is no picture at %j", (url) => {
  expect(toPicture(url, NOW)).toBeNull();
});
