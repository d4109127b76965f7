import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { toJSONSchema } from "zod/v4/core";
import { commaSeparated, emailAddress, instant, singleLine, visibleLine } from "#http/fields.ts";

it.each([
  ["2026-11-21T15:12:34.402Z", Date.UTC(2026, 10, 21, 15, 12, 34, 402)],
  ["2026-11-21T15:12:34Z", Date.UTC(2026, 10, 21, 15, 12, 34)],
  ["2026-11-21T15:12:34+01:00", Date.UTC(2026, 10, 21, 14, 12, 34)],
  ["2026-11-21T15:12:34", Date.UTC(2026, 10, 21, 15, 12, 34)],
  ["2026-11-21", Date.UTC(2026, 10, 21)],
  ["1795273954402", 1_795_273_954_402],
  ["0", 0],
  [1_795_273_954_402, 1_795_273_954_402],
])("an instant reads %j as %i", (input, at) => {
  expect(z.parse(instant, input)).toBe(at);
});

it("an instant counts every time before 1970 as its start", () => {
  for (const text of ["1969-12-31T23:59:59Z", "0001-01-01"]) expect(z.parse(instant, text)).toBe(0);
});

it.each([
  "",
  "yesterday",
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  "2026-11-21T25:00:00Z",
  "21.11.2026",
  "-1",
  "1e3",
  " 5",
  "0x10",
  "1.5",
  "999999999999999",
  "99999999999999999999",
  -1,
  1.5,
  Number.NaN,
  null,
  true,
  {},
])("an instant refuses %j", (input) => {
  expect(z.safeParse(instant, input).success).toBe(false);
});

it.each(["1", "1795273954", "100000000000", 1_795_273_954])(
  "an instant refuses %j as a time in seconds, and says so",
  (input) => {
    const message = z.safeParse(instant, input).error?.issues[0]?.message;
    expect(message).toBe(
      "must be a time in ISO 8601 or epoch milliseconds; this is a time in seconds: multiply it by 1000",
    );
  },
);

const list = commaSeparated(["dlq", "failed", "blocked"]);

it("a comma-separated list accepts any order and drops duplicates", () => {
  expect(z.parse(list, "failed,dlq,failed")).toEqual(["dlq", "failed"]);
  expect(z.parse(list, "blocked")).toEqual(["blocked"]);
});

it.each(["", ",", "dlq,", "dlq,,failed", "DLQ", "dlq, failed", "pending", "dlq;failed"])(
  "a comma-separated list refuses %j",
  (input) => {
    expect(z.safeParse(list, input).success).toBe(false);
  },
);

it("an email address accepts every text that its documented pattern and length permit", () => {
  const { pattern, maxLength } = toJSONSchema(emailAddress, { io: "input", unrepresentable: "any" });
  const texts = fc.stringMatching(new RegExp(pattern ?? "")).filter((text) => text.length <= (maxLength ?? 0));
  fc.assert(
    fc.property(texts, (text) => {
      expect(z.parse(emailAddress, text)).toBe(text.toLowerCase());
    }),
  );
});

it("an email address refuses what is no address without a word of it", () => {
  const { success, error } = z.safeParse(emailAddress, "canary");
  expect([success, JSON.stringify(error?.issues.map(({ message }) => message))]).toEqual([
    false,
    '["must be an email address of at most 254 characters"]',
  ]);
});

describe.each([
  ["a line", singleLine],
  ["a line with a visible character", visibleLine],
])("%s", (_, checks) => {
  it("the field accepts every text that its documented pattern permits", () => {
    const line = z.string().check(...checks);
    const { pattern = "" } = toJSONSchema(line);
    const texts = fc
      .oneof(fc.stringMatching(new RegExp(pattern)), fc.string({ unit: "binary" }))
      .filter((text) => new RegExp(pattern).test(text));
    fc.assert(fc.property(texts, (text) => z.safeParse(line, text).success));
    const unicode = Array.from({ length: 0x10000 }, (__, code) => String.fromCharCode(code));
    expect(unicode.filter((text) => new RegExp(pattern).test(text) && !z.safeParse(line, text).success)).toEqual([]);
    for (const flags of ["", "u"]) expect("👩🏽‍🚀 Ann's").toMatch(new RegExp(pattern, flags));
  });
});
