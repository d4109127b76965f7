import { expect, it } from "vitest";
import { PRESENCE_LIFETIME_MS } from "#client";
import type { Presence } from "../../../../web/console/data/live-inbox.ts";
import {
  emptyPresence,
  nextEnd,
  type PresenceBook,
  shownPresence,
  withReport,
} from "../../../../web/console/presence/presence-book.ts";

const T = Date.parse("2026-11-29T10:00:00Z");
const none: ReadonlyMap<string, readonly Presence[]> = new Map();
let frames = 0;

/** A frame of a colleague: what they do, and when they reported it. */
function frame(user_id: string, state: string, { at = T, conversation_id = "c", id = `evt_${frames++}` } = {}) {
  return { id, created_at: new Date(at).toISOString(), data: { conversation_id, user_id, state } } as never;
}

const add = (book: PresenceBook, each: never, now = T) => withReport(book, each, { now, ownUserId: "me" });
const states = (book: PresenceBook, now = T, conversation = "c") =>
  (shownPresence(book, now, none).get(conversation) ?? []).map(({ userId, state }) => `${userId} ${state}`);

it("a colleague is shown until the lifetime of the state ends in silence", () => {
  for (const state of ["reading", "writing"] as const) {
    const book = add(emptyPresence, frame("ben", state));
    const end = T + PRESENCE_LIFETIME_MS[state];
    expect(states(book, end - 1)).toEqual([`ben ${state}`]);
    expect(states(book, end)).toEqual([]);
    expect(nextEnd(book, T)).toBe(end);
  }
  expect([PRESENCE_LIFETIME_MS.reading, PRESENCE_LIFETIME_MS.writing]).toEqual([90_000, 12_000]);
});

it("a repeated state lives on, and leaving ends it at once", () => {
  let book = add(emptyPresence, frame("ben", "reading"));
  book = add(book, frame("ben", "reading", { at: T + 60_000 }), T + 60_000);
  expect(states(book, T + 149_000)).toEqual(["ben reading"]);
  book = add(book, frame("ben", "left", { at: T + 70_000 }), T + 70_000);
  expect(states(book, T + 70_000)).toEqual([]);
});

it("frames show the same in any order, and twice", () => {
  const sent = [
    frame("ben", "reading", { at: T - 30 }),
    frame("ben", "writing", { at: T - 20 }),
    frame("ben", "left", { at: T - 10 }),
  ];
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1, 0],
    [1, 0, 2, 2, 1],
  ];
  for (const order of orders) {
    const book = order.reduce((before, index) => add(before, sent[index] as never), emptyPresence);
    expect(states(book), String(order)).toEqual([]);
  }
  const writing = [sent[1], sent[0], sent[1]].reduce((before, each) => add(before, each as never), emptyPresence);
  expect(states(writing)).toEqual(["ben writing"]);
});

it("a copy of a frame does not prolong a state, and one that comes after its lifetime shows nothing", () => {
  const reading = frame("ben", "reading");
  const book = add(emptyPresence, reading);
  expect(add(book, reading, T + 50_000)).toBe(book);
  const late = frame("ben", "writing", { at: T - 12_000 });
  expect(add(emptyPresence, late)).toBe(emptyPresence);
  const halfLate = add(emptyPresence, frame("ben", "writing", { at: T - 5_000 }));
  expect(states(halfLate, T + 6_999)).toEqual(["ben writing"]);
  expect(states(halfLate, T + 7_000)).toEqual([]);
});

it("a report of a clock that is ahead neither lives longer nor blocks the next one", () => {
  let book = add(emptyPresence, frame("ben", "writing", { at: T + 3_600_000 }));
  expect(states(book, T + 12_000)).toEqual([]);
  book = add(book, frame("ben", "left", { at: T + 500 }), T + 1_000);
  expect(states(book, T + 1_000)).toEqual([]);
});

it("a report does not stay when the clock of this page is set back", () => {
  const book = add(emptyPresence, frame("ben", "reading"));
  expect(states(book, T - 3_600_000)).toEqual([]);
});

it("one's own reports, unknown states and names of an object's own parts change nothing", () => {
  for (const each of [frame("me", "reading"), frame("ben", "asleep"), frame("ben", "constructor")])
    expect(add(emptyPresence, each)).toBe(emptyPresence);
});

it("who writes stands before who reads, each conversation has its own, and what ended is forgotten", () => {
  let book = add(emptyPresence, frame("ann", "reading"));
  book = add(book, frame("cy", "writing"));
  book = add(book, frame("ben", "writing"));
  book = add(book, frame("ben", "reading", { conversation_id: "d" }));
  expect(states(book)).toEqual(["ben writing", "cy writing", "ann reading"]);
  expect(states(book, T, "d")).toEqual(["ben reading"]);
  book = add(book, frame("dan", "reading", { conversation_id: "e", at: T + 95_000 }), T + 95_000);
  expect([...book.keys()]).toEqual(["e"]);
});

it("what is shown stays the same object while nothing in it changes", () => {
  const book = add(emptyPresence, frame("ben", "reading"));
  const shown = shownPresence(book, T, none);
  const again = add(book, frame("ben", "reading", { at: T + 60_000 }), T + 60_000);
  expect(shownPresence(again, T + 60_000, shown)).toBe(shown);
  const more = add(again, frame("cy", "reading", { conversation_id: "d", at: T + 60_000 }), T + 60_000);
  const next = shownPresence(more, T + 60_000, shown);
  expect(next).not.toBe(shown);
  expect(next.get("c")).toBe(shown.get("c"));
});
