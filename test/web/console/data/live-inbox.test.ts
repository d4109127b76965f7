import { expect, it } from "vitest";
import { listKey } from "../../../../web/console/data/inbox-lists.ts";
import { LiveInbox } from "../../../../web/console/data/live-inbox.ts";
import { messagesOf } from "../../../../web/console/data/message-book.ts";
import type { Message } from "../../../../web/console/data/types.ts";
import { WallClock } from "../../../../web/console/data/wall-clock.ts";
import { conversation } from "./conversations.ts";
import { all, fill, MINUTE, NOW, needsReply, openInbox, updated } from "./small-inbox.ts";

it("all conversations are shown newest first, a page at a time", async () => {
  const { server, inbox, shown } = openInbox();
  const ids = fill(server, 120);
  await inbox.show(all).loaded;
  expect(shown(all)).toEqual(ids.slice(0, 50));
  await inbox.loadMore(all);
  await inbox.loadMore(all);
  expect(shown(all)).toEqual(ids);
  await inbox.loadMore(all);
  expect(server.requests).toHaveLength(3);
});

it("those who wait are counted up to 200 and shown in the order in which they close", async () => {
  const { server, inbox, shown } = openInbox();
  // Twenty minutes apart: from the 72nd on the 24 hours are over.
  const ids = fill(server, 260, 20 * MINUTE);
  await inbox.show(needsReply).loaded;
  const canReply = ids.slice(0, 71).reverse();
  const asPerson = ids.slice(71).reverse();
  expect(shown(needsReply)).toEqual([...canReply, ...asPerson].slice(0, 200));
  expect(inbox.getState().lists.get(listKey(needsReply))?.next).not.toBeNull();
});

it("a conversation of a frame that belongs below what is loaded waits for its page", async () => {
  const { server, inbox, shown, now } = openInbox();
  const ids = fill(server, 80);
  await inbox.show(all).loaded;
  inbox.receive(updated("c70", server.conversations.get("c70") as object, now()));
  expect(shown(all)).toEqual(ids.slice(0, 50));
  await inbox.loadMore(all);
  expect(shown(all)).toEqual(ids);
});

it("a fetch after a lost connection shows what changed without frames", async () => {
  const { server, inbox, shown, advance } = openInbox();
  fill(server, 60);
  await inbox.show(all).loaded;
  await inbox.loadMore(all);
  advance(10 * MINUTE);
  server.conversations.delete("c3");
  server.conversations.set("c40", conversation("c40", { inbound: NOW - 41 * MINUTE, outbound: NOW + 5 * MINUTE }));
  server.conversations.set("new", conversation("new", { inbound: NOW + 9 * MINUTE }));
  await inbox.refetch();
  expect(shown(all).slice(0, 5)).toEqual(["new", "c40", "c0", "c1", "c2"]);
  expect(shown(all)).not.toContain("c3");
  expect(shown(all)).toHaveLength(60);
});

it("a fetch that is asked for while another runs follows it, so that nothing before the stream's start is missed", async () => {
  const { server, inbox, shown, advance } = openInbox();
  fill(server, 2);
  const first = inbox.show(all).loaded;
  await expect.poll(() => server.requests.length).toBe(1);
  const again = inbox.refetch();
  server.conversations.set("late", conversation("late", { inbound: NOW }));
  advance(1_000);
  await Promise.all([first, again]);
  expect(shown(all)).toEqual(["late", "c0", "c1"]);
});

it("a list that cannot be loaded says so, and what was loaded stays when a later fetch fails", async () => {
  const { server, inbox, shown } = openInbox();
  fill(server, 3);
  server.failure = 500;
  await inbox.show(all).loaded;
  expect(inbox.getState().lists.get(listKey(all))?.status).toBe("failed");
  server.failure = null;
  await inbox.refetch();
  expect(shown(all)).toEqual(["c0", "c1", "c2"]);
  server.failure = 500;
  await inbox.refetch();
  expect(inbox.getState().lists.get(listKey(all))?.status).toBe("ready");
  expect(shown(all)).toEqual(["c0", "c1", "c2"]);
});

function message(index: number): Message {
  return {
    id: `m${index}`,
    conversation_id: "c0",
    sent_at: new Date(NOW + index * MINUTE).toISOString(),
    direction: "inbound",
    deleted_at: null,
    edited_at: null,
    attachments: [],
    reactions: [],
    text: String(index),
  } as never;
}

function thread(inbox: LiveInbox): string[] {
  const state = inbox.getState().threads.get("c0");
  return state ? messagesOf(state.book).map(({ id }) => id) : [];
}

it("a thread is loaded from its end, and older pages are added before it", async () => {
  const { server, inbox } = openInbox();
  fill(server, 1);
  const messages = Array.from({ length: 120 }, (_, index) => message(index));
  server.messages.set("c0", messages);
  await inbox.openThread("c0");
  expect(thread(inbox)).toEqual(messages.slice(70).map(({ id }) => id));
  await inbox.loadOlder("c0");
  await inbox.loadOlder("c0");
  expect(thread(inbox)).toEqual(messages.map(({ id }) => id));
  expect(inbox.getState().threads.get("c0")?.older).toBeNull();
});

it("a thread with more new messages than a page has no gap after it is opened again", async () => {
  const { server, inbox } = openInbox();
  fill(server, 1);
  server.messages.set("c0", [message(0), message(1)]);
  await inbox.openThread("c0");
  server.messages.set(
    "c0",
    Array.from({ length: 122 }, (_, index) => message(index)),
  );
  await inbox.openThread("c0");
  expect(thread(inbox)).toEqual(Array.from({ length: 50 }, (_, index) => `m${index + 72}`));
  await inbox.loadOlder("c0");
  await inbox.loadOlder("c0");
  expect(thread(inbox)).toHaveLength(122);
});

it("a thread of an erased conversation says that it does not exist", async () => {
  const { server, inbox } = openInbox();
  fill(server, 1);
  server.messages.set("c0", [message(0)]);
  await inbox.openThread("c0");
  server.conversations.delete("c0");
  await inbox.openThread("c0");
  expect(inbox.getState().threads.get("c0")?.status).toBe("missing");
  expect(thread(inbox)).toEqual([]);
});

it("a loaded thread stays when it cannot be fetched again", async () => {
  const { server, inbox } = openInbox();
  fill(server, 1);
  server.messages.set("c0", [message(0)]);
  await inbox.openThread("c0");
  server.failure = 500;
  await inbox.openThread("c0");
  expect(inbox.getState().threads.get("c0")?.status).toBe("ready");
  expect(thread(inbox)).toEqual(["m0"]);
});

/** An inbox whose streams are objects of the test. */
function openStreams() {
  const { server } = openInbox();
  fill(server, 1);
  const streams: { onState(state: "connecting" | "open" | "closed"): void; isStopped: boolean }[] = [];
  const parley = server.client();
  Object.assign(parley, {
    connect({ onState }: { onState: (typeof streams)[number]["onState"] }) {
      const stream = { onState, isStopped: false, close: () => void Object.assign(stream, { isStopped: true }) };
      streams.push(stream);
      return stream;
    },
  });
  const inbox = new LiveInbox(parley, new WallClock(() => NOW));
  return { server, inbox, streams, state: () => inbox.getState().stream.state };
}

it("a stream that has ended is followed again after a new sign-in, and its late end does not end the next one", async () => {
  const { server, inbox, streams, state } = openStreams();
  await inbox.show(all).loaded;
  inbox.start();
  streams[0]?.onState("closed");
  expect(state()).toBe("closed");
  const before = server.requests.length;
  inbox.resume();
  expect(state()).toBe("connecting");
  expect(streams.map(({ isStopped }) => isStopped)).toEqual([true, false]);
  streams[1]?.onState("open");
  streams[0]?.onState("closed");
  expect(state()).toBe("open");
  await expect.poll(() => server.requests.length).toBe(before + 1);
});

it("a stream that goes on by itself is the same after a new sign-in, and what is shown is fetched again", async () => {
  const { server, inbox, streams, state } = openStreams();
  await inbox.show(all).loaded;
  inbox.start();
  for (const now of ["open", "connecting"] as const) {
    streams[0]?.onState(now);
    const before = server.requests.length;
    inbox.resume();
    expect(state()).toBe(now);
    expect(streams.map(({ isStopped }) => isStopped)).toEqual([false]);
    await expect.poll(() => server.requests.length).toBe(before + 1);
    await inbox.refetch();
  }
});
