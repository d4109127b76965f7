import fc from "fast-check";
import { expect, it } from "vitest";
import { STALE_MS } from "../../../../web/console/data/conversation-book.ts";
import {
  emptyThread,
  type MessageBook,
  messagesOf,
  withEvent,
  withMessages,
} from "../../../../web/console/data/message-book.ts";
import type { Message, StreamEvent } from "../../../../web/console/data/types.ts";
import { plainMessage } from "./plain-message.ts";

const CONVERSATION = "CONV#acme#instagram#178414#993";
const START = Date.parse("2026-11-20T10:00:00Z");
const iso = (at: number) => new Date(at).toISOString();

function message(id: string, sentAt: number, more: Partial<Message> = {}): Message {
  return {
    ...plainMessage,
    id,
    conversation_id: CONVERSATION,
    account_key: "instagram#178414",
    platform: "instagram",
    direction: "inbound",
    text: "Hello",
    sent_at: iso(sentAt),
    sent_via: "participant",
    actor_id: null,
    ...more,
  };
}

function event(type: string, createdAt: number, data: object): StreamEvent {
  return {
    id: `evt_${type}${createdAt}`,
    type,
    api_version: "1.0.0",
    created_at: iso(createdAt),
    tenant_id: "acme",
    data,
  } as never;
}
const received = (each: Message, at: number) =>
  event(each.direction === "inbound" ? "message.received" : "message.sent", at, {
    message: { ...each, participant: { id: "993", handle: null, username: null, name: null } },
  });
const ref = (id: string) => ({
  id,
  conversation_id: CONVERSATION,
  account_key: "instagram#178414",
  platform: "instagram",
});

it("a message of another conversation, a test message and an unknown event change nothing", () => {
  const book = emptyThread(CONVERSATION);
  const other = { ...message("m1", START), conversation_id: "CONV#acme#instagram#178414#994" };
  expect(withEvent(book, received(other, START))).toBe(book);
  const test = event("message.sent", START, { message: { ...message("m1", START), participant: {}, test: true } });
  expect(withEvent(book, test)).toBe(book);
  expect(withEvent(book, event("message.invented", START, { message: ref("m1") }))).toBe(book);
});

it("an unsend that arrives before its message keeps the content away", () => {
  const unsent = event("message.deleted", START + 9, {
    message: { ...ref("m1"), deleted_at: iso(START + 9) },
    by: "participant",
  });
  const book = withEvent(withEvent(emptyThread(CONVERSATION), unsent), received(message("m1", START), START));
  expect(messagesOf(book)).toMatchObject([{ id: "m1", text: "", deleted_at: iso(START + 9) }]);
});

it("the message of a send says who sent it, also when its echo arrives later", () => {
  const send = message("m1", START, { direction: "outbound", sent_via: "api_in_window", actor_id: "console:usr_1" });
  const echo = message("m1", START, { direction: "echo", sent_via: "native_app" });
  const book = withMessages(withEvent(emptyThread(CONVERSATION), received(send, START)), [echo], START + 60_000);
  expect(messagesOf(book)).toMatchObject([
    { direction: "outbound", actor_id: "console:usr_1", sent_via: "api_in_window" },
  ]);
});

it("the address of a sent file stays when an older snapshot has none", () => {
  const file = (url: string | null) => ({ type: "image" as const, url, title: null, coordinates: null });
  const withUrl = message("m1", START, { attachments: [file("https://lookaside.fbsbx.com/1")] });
  const without = message("m1", START, { attachments: [file(null)] });
  const book = withMessages(withMessages(emptyThread(CONVERSATION), [withUrl], START), [without], START + 60_000);
  expect(messagesOf(book)[0]?.attachments[0]?.url).toBe("https://lookaside.fbsbx.com/1");
});

it("an erasure removes the messages up to it and nothing brings them back", () => {
  const erased = event("conversation.updated", START + 10, { conversation: { id: CONVERSATION, erased: true } });
  const book = withEvent(withMessages(emptyThread(CONVERSATION), [message("m1", START)], START), erased);
  expect(messagesOf(book)).toEqual([]);
  expect(messagesOf(withMessages(book, [message("m1", START)], START + 99_000))).toEqual([]);
  expect(messagesOf(withEvent(book, received(message("m2", START + 20), START + 20)))).toHaveLength(1);
});

interface Change {
  readonly kind: "send" | "edit" | "unsend" | "react" | "unreact" | "fetch";
  readonly target: number;
  readonly gapMs: number;
  readonly delay: number;
  readonly behindMs: number;
  readonly copies: number;
}

/** What the server does with a change, and the event that it sends. */
function apply(messages: Map<string, Message>, { kind, target }: Change, at: number): StreamEvent | null {
  if (kind === "send") {
    const sent = message(`m${messages.size}`, at, { text: `Text of ${messages.size}` });
    messages.set(sent.id, sent);
    return received(sent, at);
  }
  const current = messages.get(`m${target % Math.max(1, messages.size)}`);
  if (!current || current.deleted_at !== null) return null;
  const { id } = current;
  if (kind === "edit") {
    const changes = { text: `Edited at ${at}`, text_truncated: at % 2 === 0, edited_at: iso(at) };
    messages.set(id, { ...current, ...changes });
    return event("message.edited", at, {
      message: { ...ref(id), ...changes, edit_count: 1 },
      by: "participant",
    });
  }
  if (kind === "unsend") {
    messages.set(id, {
      ...current,
      text: "",
      text_truncated: false,
      reactions: [],
      edited_at: null,
      deleted_at: iso(at),
    });
    return event("message.deleted", at, { message: { ...ref(id), deleted_at: iso(at) }, by: "participant" });
  }
  const reaction = { reaction: "love", emoji: "❤", at: iso(at) };
  const reactions = kind === "react" ? [{ by: "participant" as const, ...reaction }] : [];
  messages.set(id, { ...current, reactions });
  return event("message.reaction", at, {
    message: ref(id),
    reaction: { action: kind, ...reaction },
    by: "participant",
  });
}

it("after every frame, the thread equals a fresh fetch, also with events that came late, twice or in another order", () => {
  const change = fc.record<Change>({
    kind: fc.constantFrom("send", "send", "send", "edit", "unsend", "react", "unreact", "fetch"),
    target: fc.nat({ max: 40 }),
    gapMs: fc.integer({ min: 1, max: 4_000 }),
    delay: fc.nat({ max: 30 }),
    behindMs: fc.nat({ max: STALE_MS }),
    copies: fc.integer({ min: 1, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 120 }), (changes) => {
      let at = START;
      const server = new Map<string, Message>();
      const past: { at: number; messages: readonly Message[] }[] = [{ at: 0, messages: [] }];
      const deliveries: { readonly order: number; readonly run: (book: MessageBook) => MessageBook }[] = [];
      changes.forEach((each, index) => {
        at += each.gapMs;
        if (each.kind === "fetch") {
          const startedAt = at;
          const snapshot = past.findLast((state) => state.at <= startedAt - each.behindMs)?.messages ?? [];
          deliveries.push({ order: index + each.delay, run: (book) => withMessages(book, snapshot, startedAt) });
          return;
        }
        const frame = apply(server, each, at);
        past.push({ at, messages: [...server.values()] });
        if (!frame) return;
        for (let copy = 0; copy < each.copies; copy++) {
          deliveries.push({ order: index + each.delay * (copy + 1), run: (book) => withEvent(book, frame) });
        }
      });
      deliveries.sort((a, b) => a.order - b.order);
      const book = deliveries.reduce((current, { run }) => run(current), emptyThread(CONVERSATION));
      expect(messagesOf(book)).toEqual([...server.values()]);
    }),
    { numRuns: 200 },
  );
});
