import { expect, it } from "vitest";
import { ParleyError } from "#client";
import { loadRows } from "../../../../web/console/admin/pages.ts";
import { actionProblem } from "../../../../web/console/admin/problems.ts";
import {
  anyTime,
  fromField,
  isInRange,
  rangeOfSpan,
  rangeQuery,
  toField,
} from "../../../../web/console/admin/time-range.ts";
import { pastTime, rowTime } from "../../../../web/console/admin/times.ts";

const HOUR = 3_600_000;

it("empty pages are read on until one has rows, or the list ends, or five were empty", async () => {
  const pagesRead: (string | undefined)[] = [];
  const list = (filled: number, end: number) => async (cursor?: string) => {
    pagesRead.push(cursor);
    const page = Number(cursor ?? 0);
    return { rows: page === filled ? ["row"] : [], next: page + 1 < end ? String(page + 1) : null };
  };
  expect(await loadRows(list(2, 9))).toEqual({ rows: ["row"], next: "3" });
  expect(pagesRead).toEqual([undefined, "1", "2"]);
  expect(await loadRows(list(9, 3))).toEqual({ rows: [], next: null });
  expect(await loadRows(list(9, 9))).toEqual({ rows: [], next: "5" });
  expect(await loadRows(list(9, 12), "5")).toEqual({ rows: ["row"], next: "10" });
});

it("a span of time has the same limits for each page, and an own one has two", () => {
  const now = Date.UTC(2026, 10, 29, 12);
  expect(rangeQuery(anyTime)).toEqual({});
  const day = rangeOfSpan("day", now);
  expect(rangeQuery(day)).toEqual({ from: "2026-11-28T12:00:00.000Z" });
  expect(isInRange(day, now - 24 * HOUR)).toBe(true);
  expect(isInRange(day, now - 24 * HOUR - 1)).toBe(false);
  // Its fields show minutes: what happened within the last one is in the range.
  const own = rangeOfSpan("own", now + 20_500);
  expect(rangeQuery(own)).toEqual({ from: "2026-11-28T12:00:00.000Z", to: "2026-11-29T12:00:59.999Z" });
  expect([own.from, own.to].map((instant) => fromField(toField(instant)))).toEqual([
    "2026-11-28T12:00:00.000Z",
    "2026-11-29T12:00:00.000Z",
  ]);
  expect([isInRange(own, now + 59_999), isInRange(own, now + 60_000)]).toEqual([true, false]);
});

it("a field of the browser and an instant are converted both ways in the time zone of the browser", () => {
  expect(fromField(toField("2026-11-29T12:34:00.000Z"))).toBe("2026-11-29T12:34:00.000Z");
  expect([fromField(""), fromField("soon"), toField(null)]).toEqual([null, null, ""]);
});

it("a time of today is named so, and a table shows the weekday for a week", () => {
  const now = new Date(2026, 10, 29, 12, 30).getTime();
  expect(pastTime(now - HOUR, now)).toMatch(/^today, 11:30/);
  expect(pastTime(now - 24 * HOUR, now)).toMatch(/^yesterday, 12:30/);
  expect(pastTime(now - 100 * 24 * HOUR, now)).toContain("21");
  expect(rowTime(now - HOUR, now)).toMatch(/^11:30/);
  expect(rowTime(now - 48 * HOUR, now)).toMatch(/^Fri 12:30/);
});

it("a refused write has its own words by code, and a lost answer says that it may have been done", () => {
  const error = (code: string, status?: number) => new ParleyError({ code, status, message: "internal" });
  expect(actionProblem(error("key_limit", 409), { key_limit: "Revoke one." })).toBe("Revoke one.");
  expect(actionProblem(error("constructor", 409), {})).toContain("changed in the meantime");
  expect(actionProblem(error("forbidden", 403))).not.toContain("may have been done");
  for (const lost of [error("connection_failed"), error("internal_error", 500), error("unexpected_response", 200)])
    expect(actionProblem(lost)).toContain("may have been done");
});
