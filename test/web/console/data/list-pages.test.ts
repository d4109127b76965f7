import { expect, it } from "vitest";
import { countLabel, isComplete, type ListQuery, listKey } from "../../../../web/console/data/inbox-lists.ts";
import type { LiveInbox } from "../../../../web/console/data/live-inbox.ts";
import { conversation } from "./conversations.ts";
import { all, fill, MINUTE, NOW, needsReply, openInbox, updated } from "./small-inbox.ts";
import type { SmallServer } from "./small-server.ts";

// The service ends a page with a filter after 200 conversations that it examined, so that it is short or empty.

const listOf = (inbox: LiveInbox, query: ListQuery) => inbox.getState().lists.get(listKey(query));

/** Fourteen hundred conversations of a week that were answered, and some who wait, a day apart. */
function aWeek(server: SmallServer, waiting: number): void {
  for (let index = 0; index < 1_400; index++) {
    const inbound = NOW - (index + 1) * 7 * MINUTE;
    server.conversations.set(`a${index}`, conversation(`a${index}`, { inbound, outbound: inbound + MINUTE }));
  }
  for (let index = 0; index < waiting; index++) {
    server.conversations.set(`w${index}`, conversation(`w${index}`, { inbound: NOW - (index * 840 + 30) * MINUTE }));
  }
}

it("those who wait are counted to the last one beside a week of others, although no page of them is full", async () => {
  const { server, inbox, shown } = openInbox();
  aWeek(server, 12);
  await inbox.show(needsReply).loaded;
  expect(shown(needsReply)).toHaveLength(12);
  expect(listOf(inbox, needsReply)).toMatchObject({ status: "ready", next: null });
  expect(server.requests).toHaveLength(8);
});

it("a list of no one is complete only after its last page, although its first pages are empty", async () => {
  const { server, inbox } = openInbox();
  aWeek(server, 0);
  const seen: boolean[] = [];
  inbox.subscribe(() => {
    const state = listOf(inbox, needsReply);
    if (state) seen.push(isComplete(state));
  });
  await inbox.show(needsReply).loaded;
  expect(seen.slice(0, 6)).toEqual([false, false, false, false, false, false]);
  expect(seen.at(-1)).toBe(true);
});

it("a list with a filter has at least a page of rows, although its pages are short", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 600);
  for (const [id, each] of server.conversations) {
    const platform = Number(id.slice(1)) % 10 === 9 ? "messenger" : "instagram";
    server.conversations.set(id, { ...each, platform });
  }
  const messenger: ListQuery = { ...all, platform: "messenger" };
  await inbox.show(messenger).loaded;
  expect(shown(messenger)).toHaveLength(60);
  expect(listOf(inbox, messenger)?.next).toBeNull();
});

it("the last one who waited leaves when a fetch lists no one", async () => {
  const { server, inbox, shown, advance } = openInbox();
  fill(server, 1);
  await inbox.show(needsReply).loaded;
  expect(shown(needsReply)).toEqual(["c0"]);
  advance(10 * MINUTE);
  server.conversations.set("c0", conversation("c0", { inbound: NOW - MINUTE, outbound: NOW }));
  await inbox.refetch();
  expect(shown(needsReply)).toEqual([]);
});

it("a count is exact up to 200, and has a plus while others may belong to it", () => {
  const labels = [0, 60, 200, 201].flatMap((count) => [countLabel(count, true), countLabel(count, false)]);
  expect(labels).toEqual(["0", "0", "60", "60+", "200", "200+", "200+", "200+"]);
});

it("a list that is not shown any more is not fetched again, and is loaded when it is shown again", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 3);
  const first = inbox.show({ ...all, platform: "instagram" });
  await first.loaded;
  first.hide();
  await inbox.show(all).loaded;
  const before = server.requests.length;
  server.conversations.set("new", conversation("new", { inbound: NOW }));
  await inbox.refetch();
  expect(server.requests.slice(before)).toEqual([expect.not.stringContaining("platform")]);
  await inbox.show({ ...all, platform: "instagram" }).loaded;
  expect(server.requests.slice(before)).toHaveLength(2);
  expect(shown({ ...all, platform: "instagram" })).toEqual(["new", "c0", "c1", "c2"]);
});

it("a list that is shown in two places is fetched again until it is shown in none", async () => {
  const { server, inbox } = openInbox();
  fill(server, 3);
  const [one, two] = [inbox.show(all), inbox.show(all)];
  await one.loaded;
  one.hide();
  await inbox.refetch();
  expect(server.requests).toHaveLength(2);
  two.hide();
  await inbox.refetch();
  expect(server.requests).toHaveLength(2);
});

it("a list that was scrolled far is fetched again as far as it may have changed, and keeps its further rows", async () => {
  const { server, inbox, shown, advance } = openInbox();
  const ids = fill(server, 2_000);
  await inbox.show(all).loaded;
  for (let page = 1; page < 30; page++) await inbox.loadMore(all);
  expect(shown(all)).toHaveLength(1_500);
  advance(60 * MINUTE);
  server.conversations.set("c1400", conversation("c1400", { inbound: NOW + 30 * MINUTE }));
  const before = server.requests.length;
  await inbox.refetch();
  expect(server.requests.length - before).toBe(10);
  expect(shown(all)).toEqual(["c1400", ...ids.slice(0, 1_500).filter((id) => id !== "c1400")]);
  await inbox.loadMore(all);
  expect(shown(all)).toHaveLength(1_550);
});

it("more pages are fetched again when more than their conversations changed", async () => {
  const { server, inbox, shown, advance } = openInbox();
  fill(server, 1_500);
  await inbox.show(all).loaded;
  for (let page = 1; page < 20; page++) await inbox.loadMore(all);
  advance(60 * MINUTE);
  for (let index = 0; index < 700; index++) {
    server.conversations.set(`n${index}`, conversation(`n${index}`, { inbound: NOW + 30 * MINUTE + index }));
  }
  await inbox.refetch();
  expect(shown(all).slice(0, 701)).toEqual([...Array.from({ length: 700 }, (_, index) => `n${699 - index}`), "c0"]);
});

it("a page that fails after the first ones leaves these, and is asked for again by a press alone", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 120);
  await inbox.show(all).loaded;
  server.failure = 429;
  await inbox.loadMore(all);
  expect(shown(all)).toHaveLength(50);
  expect(listOf(inbox, all)).toMatchObject({ status: "ready", error: { status: 429 } });
  server.failure = null;
  const before = server.requests.length;
  await inbox.retry(all);
  expect(listOf(inbox, all)?.error).toBeNull();
  expect(shown(all)).toHaveLength(100);
  expect(server.requests).toHaveLength(before + 1);
});

it("a list that could not be fetched again is fetched again by a press as a whole", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 120);
  await inbox.show(all).loaded;
  server.failure = 500;
  await inbox.refetch();
  expect(listOf(inbox, all)?.error).not.toBeNull();
  server.failure = null;
  server.conversations.set("new", conversation("new", { inbound: NOW }));
  await inbox.retry(all);
  expect(listOf(inbox, all)?.error).toBeNull();
  expect(shown(all)[0]).toBe("new");
});

it("what a write returned shows at once, although a frame of the conversation came just before it", async () => {
  const { server, inbox, now } = openInbox();
  fill(server, 1);
  await inbox.show(needsReply).loaded;
  const times = { inbound: NOW - MINUTE };
  inbox.receive(updated("c0", conversation("c0", times), now() - 1_000));
  inbox.mergeConversation(conversation("c0", { ...times, done: now() }), now());
  expect(inbox.getState().book.known.get("c0")?.conversation.needs_reply).toBe(false);
  // A message that came in between is newer.
  inbox.receive(updated("c0", conversation("c0", { inbound: NOW + 1 }), now() + 1));
  inbox.mergeConversation(conversation("c0", { ...times, done: now() }), now());
  expect(inbox.getState().book.known.get("c0")?.conversation.needs_reply).toBe(true);
});

it("what a write returned shows at once, although the clock of the page is late behind a frame before it", async () => {
  const { server, inbox, now } = openInbox();
  fill(server, 1);
  await inbox.show(needsReply).loaded;
  const times = { inbound: NOW - MINUTE };
  inbox.receive(updated("c0", conversation("c0", times), now() + 900));
  const startedAt = inbox.writeStart("c0");
  inbox.mergeConversation(conversation("c0", { ...times, done: now() + 950 }), startedAt);
  expect(inbox.getState().book.known.get("c0")?.conversation.needs_reply).toBe(false);
  // A frame after the write counts more, although the page's clock was late.
  inbox.receive(updated("c0", conversation("c0", times), now() + 1_000));
  inbox.mergeConversation(conversation("c0", { ...times, done: now() + 950 }), startedAt);
  expect(inbox.getState().book.known.get("c0")?.conversation.needs_reply).toBe(true);
});

it("a page that is asked for as soon as the one before it shows is loaded", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 230);
  inbox.subscribe(() => queueMicrotask(() => void inbox.loadMore(all)));
  await inbox.show(all).loaded;
  await expect.poll(() => shown(all).length).toBe(230);
});
