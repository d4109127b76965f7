import { expect, test } from "vitest";
import { toPicture } from "#base/kernel/text/pictures.ts";
import { DAY } from "#base/kernel/time.ts";

const NOW = 1_793_000_000_123;
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
