import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type ConversationBook,
  emptyBook,
  lastKnown,
  STALE_MS,
  withFetched,
  withFrame,
  withoutErased,
} from "../../../../web/console/data/conversation-book.ts";
import type { Conversation } from "../../../../web/console/data/types.ts";
import { conversation } from "./conversations.ts";

const START = Date.parse("2026-11-20T10:00:00Z");

function shown(book: ConversationBook): Record<string, Conversation> {
  return Object.fromEntries([...book.known].map(([id, entry]) => [id, entry.conversation]));
}

it("a frame of an older message changes nothing", () => {
  const newer = conversation("a", { inbound: START + 5_000 });
  const older = conversation("a", { inbound: START });
  const book = withFrame(withFrame(emptyBook, newer, START + 5_000), older, START + 9_000);
  expect(shown(book)).toEqual({ a: newer });
});

it("a fetch of an index that is behind does not undo a newer frame", () => {
  const done = conversation("a", { inbound: START, done: START + 1_000 });
  const before = conversation("a", { inbound: START });
  const book = withFrame(emptyBook, done, START + 1_000);
  expect(shown(withFetched(book, { conversations: [before], startedAt: START + 2_000 }))).toEqual({ a: done });
});

it("a fetch replaces what a frame showed long before", () => {
  const done = conversation("a", { inbound: START, done: START + 1_000 });
  const undone = conversation("a", { inbound: START });
  const book = withFrame(emptyBook, done, START + 1_000);
  const fetched = withFetched(book, { conversations: [undone], startedAt: START + 1_000 + STALE_MS });
  expect(shown(fetched)).toEqual({ a: undone });
});

it("an erased conversation stays away until somebody writes after the erasure", () => {
  const before = conversation("a", { inbound: START });
  const after = conversation("a", { inbound: START + 20_000 });
  const erased = withoutErased(withFrame(emptyBook, before, START), "a", START + 10_000);
  expect(shown(erased)).toEqual({});
  expect(shown(withFetched(erased, { conversations: [before], startedAt: START + 60_000 }))).toEqual({});
  expect(shown(withFrame(erased, after, START + 20_000))).toEqual({ a: after });
});

it("a fetched page removes what it covers and does not list, save what a frame just showed", () => {
  const old = conversation("a", { inbound: START });
  const fresh = conversation("b", { inbound: START + 60_000 });
  const book = withFrame(withFrame(emptyBook, old, START), fresh, START + 60_000);
  const fetched = withFetched(book, { conversations: [], startedAt: START + 61_000, covers: () => true });
  expect(shown(fetched)).toEqual({ b: fresh });
});

it("a conversation that a fetch no longer lists is remembered as it was, until it is erased", () => {
  const old = conversation("a", { inbound: START });
  const later = conversation("a", { inbound: START + 90_000 });
  const book = withFrame(emptyBook, old, START);
  const gone = withFetched(book, { conversations: [], startedAt: START + 60_000, covers: () => true });
  expect(lastKnown(gone, "a")).toEqual(old);
  expect(lastKnown(withFrame(gone, later, START + 90_000), "a")).toEqual(later);
  expect(lastKnown(withoutErased(gone, "a", START + 70_000), "a")).toBeUndefined();
});

type Step =
  | { readonly kind: "inbound" | "outbound" | "done" | "undone" | "profile" | "erased"; readonly id: string }
  | { readonly kind: "fetch"; readonly behindMs: number };

interface Server {
  readonly at: number;
  readonly heads: ReadonlyMap<string, Conversation>;
}

const ids = ["a", "b", "c"] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom("inbound", "outbound"), id: fc.constantFrom(...ids) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("done", "undone", "profile"), id: fc.constantFrom(...ids) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erased" as const), id: fc.constantFrom(...ids) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fetch" as const), behindMs: fc.nat({ max: STALE_MS }) }) },
);

function next(server: Server, { kind, id }: Exclude<Step, { kind: "fetch" }>, at: number): Server {
  const heads = new Map(server.heads);
  const head = heads.get(id);
  const ms = (time: string | null | undefined) => (time ? Date.parse(time) : null);
  const inbound = ms(head?.last_inbound_at);
  const outbound = ms(head?.last_outbound_at);
  const names = { participant_name: head?.participant_name ?? "first" };
  if (kind === "erased") heads.delete(id);
  else if (kind === "inbound") heads.set(id, conversation(id, { inbound: at, outbound }, names));
  else if (kind === "outbound") heads.set(id, conversation(id, { inbound, outbound: at }, names));
  else if (head && kind === "profile") heads.set(id, { ...head, participant_name: `name at ${at}` });
  else if (head) heads.set(id, conversation(id, { inbound, outbound, done: kind === "done" ? at : null }, names));
  return { at, heads };
}

// Frames of 2,000 changes, each delivered once or twice, late and in any order, between fetches that may be behind.
it("after every frame, the book equals the server, also those that came late, twice or in another order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ step, gapMs: fc.integer({ min: 1, max: 9_000 }), readLate: fc.nat({ max: 3 }) }), {
        maxLength: 60,
      }),
      fc.array(fc.nat({ max: 1_000_000 }), { minLength: 120, maxLength: 120 }),
      (plan, numbers) => {
        const states: Server[] = [{ at: 0, heads: new Map() }];
        const deliveries: { readonly order: number; readonly apply: (book: ConversationBook) => ConversationBook }[] =
          [];
        const changes: {
          readonly index: number;
          readonly id: string;
          readonly readLate: number;
          readonly erased: boolean;
        }[] = [];
        let at = START;
        let fetches = 0;
        const plannedFetches: { readonly startedAt: number; readonly behindMs: number; readonly order: number }[] = [];
        for (const { step: each, gapMs, readLate } of plan) {
          at += gapMs;
          if (each.kind === "fetch") {
            plannedFetches.push({
              startedAt: at,
              behindMs: each.behindMs,
              order: states.length * 10 + (fetches++ % 10),
            });
          } else {
            states.push(next(states.at(-1) as Server, each, at));
            changes.push({ index: states.length - 1, id: each.id, readLate, erased: each.kind === "erased" });
          }
        }
        changes.forEach(({ index, id, readLate, erased }, position) => {
          const createdAt = (states[index] as Server).at;
          // The head is read when the frame is made, which may be after later changes.
          const read = states[Math.min(index + readLate, states.length - 1)] as Server;
          const head = read.heads.get(id);
          const apply = (book: ConversationBook) => {
            if (erased) return withoutErased(book, id, createdAt);
            return head ? withFrame(book, head, createdAt) : book;
          };
          for (let copy = 0; copy <= (numbers[position] ?? 0) % 2; copy++) {
            deliveries.push({ order: index * 10 + ((numbers[position + 60 * copy] ?? 0) % 300), apply });
          }
        });
        for (const { startedAt, behindMs, order } of plannedFetches) {
          const snapshot = states.findLast((state) => state.at <= startedAt - behindMs) as Server;
          deliveries.push({
            order,
            apply: (book) => withFetched(book, { conversations: [...snapshot.heads.values()], startedAt }),
          });
        }
        deliveries.sort((a, b) => a.order - b.order);
        const book = deliveries.reduce((current, { apply }) => apply(current), emptyBook);
        expect(shown(book)).toEqual(Object.fromEntries((states.at(-1) as Server).heads));
      },
    ),
    { numRuns: 300 },
  );
});
