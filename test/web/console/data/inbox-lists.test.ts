import { expect, it } from "vitest";
import {
  belongsTo,
  emptyList,
  isLoaded,
  type ListQuery,
  listKey,
  loadedOf,
} from "../../../../web/console/data/inbox-lists.ts";
import { conversation } from "./conversations.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");
const HOUR = 3_600_000;
const all: ListQuery = { view: "all", platform: null, accountKey: null };
const waiting: ListQuery = { ...all, view: "needs-reply" };
const ago = (hours: number, id = `h${hours}`) => conversation(id, { inbound: NOW - hours * HOUR });

it("equal queries have the same key, and others have others", () => {
  const queries: ListQuery[] = [all, waiting, { ...all, platform: "instagram" }, { ...all, accountKey: "instagram#1" }];
  expect(new Set(queries.map(listKey)).size).toBe(queries.length);
  expect(listKey({ accountKey: null, platform: null, view: "all" })).toBe(listKey(all));
});

it("a list has the conversations of its view, platform and account", () => {
  const unanswered = ago(1);
  const answered = conversation("b", { inbound: NOW - HOUR, outbound: NOW });
  const done = conversation("c", { inbound: NOW - HOUR, done: NOW });
  expect([unanswered, answered, done].map((each) => belongsTo(waiting, each))).toEqual([true, false, false]);
  expect([unanswered, answered, done].every((each) => belongsTo(all, each))).toBe(true);
  expect(belongsTo({ ...all, platform: "messenger" }, unanswered)).toBe(false);
  expect(belongsTo({ ...all, platform: "instagram" }, unanswered)).toBe(true);
  expect(belongsTo({ ...all, accountKey: "instagram#other" }, unanswered)).toBe(false);
  expect(belongsTo({ ...all, accountKey: unanswered.account_key }, unanswered)).toBe(true);
});

it("in the list of all, what is as new as the last loaded one or newer is loaded", () => {
  const last = ago(5);
  expect([4, 5, 6].map((hours) => isLoaded("all", last, ago(hours), NOW))).toEqual([true, true, false]);
  expect(isLoaded("all", null, ago(100), NOW)).toBe(true);
});

it("of those who wait, who closes first is loaded first, then who can be written to as a person", () => {
  const last = ago(10);
  expect([23, 10, 9, 25].map((hours) => isLoaded("needs-reply", last, ago(hours), NOW))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const lastAsPerson = ago(50);
  expect([1, 23, 60, 50, 30].map((hours) => isLoaded("needs-reply", lastAsPerson, ago(hours), NOW))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

it("a list shows what belongs to it, is loaded and is still stored", () => {
  const known = [
    ago(1),
    ago(5),
    ago(6),
    ago(24 * 7 - 1),
    conversation("b", { inbound: NOW - 2 * HOUR, outbound: NOW }),
  ];
  const ids = (query: ListQuery, last: ReturnType<typeof ago> | null, now = NOW) =>
    loadedOf(query, { ...emptyList, last }, known, now).map(({ id }) => id);
  expect(ids(all, ago(5))).toEqual(["h1", "h5", "b"]);
  expect(ids(waiting, null)).toEqual(["h1", "h5", "h6", "h167"]);
  expect(ids(waiting, null, NOW + HOUR)).toEqual(["h1", "h5", "h6"]);
});
