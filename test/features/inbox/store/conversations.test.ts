import fc from "fast-check";
import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { Direction, Message } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const conversations = openedOnce(() => conversationStore(openTable(table.tableName, table.client)));
const outbound = openedOnce(() => outboundMessageStore(openTable(table.tableName, table.client)));

interface MessageSketch {
  readonly direction: Direction;
  readonly after: number;
  readonly text: string;
}

// Few instants and few texts, so that ties are frequent.
const sketches = fc.array(
  fc.record<MessageSketch>({
    direction: fc.constantFrom("inbound", "outbound", "echo"),
    after: fc.integer({ min: 0, max: 4 }),
    text: fc.constantFrom("", "a", "b"),
  }),
  { minLength: 1, maxLength: 5 },
);

function toMessage(tenant: TenantId, sketch: MessageSketch, i: number): Message {
  const { direction, text, after } = sketch;
  return sampleMessage(tenant, { id: `m${i}`, direction, text, sentAt: NOW + after });
}

const readHead = async (tenant: TenantId) => {
  const head = await conversations.get(tenant, sampleConversationId(tenant), NOW + 5);
  if (!head) throw new Error("There is no head.");
  const { id: _id, ref: _ref, ...rest } = head;
  return rest;
};

it("a conversation's head ends the same for any order of its messages, including repeats", async () => {
  await fc.assert(
    fc.asyncProperty(
      sketches.chain((drafts) =>
        fc.record({
          drafts: fc.constant(drafts),
          order: fc
            .shuffledSubarray([...drafts.keys()], { minLength: drafts.length })
            .chain((order) =>
              fc.array(fc.constantFrom(...drafts.keys()), { maxLength: 3 }).map((m) => [...order, ...m]),
            ),
        }),
      ),
      async ({ drafts, order }) => {
        const [straight, shuffled] = [newTenant(), newTenant()];
        for (const [i, sketch] of drafts.entries()) {
          await conversations.advanceHead(straight, toMessage(straight, sketch, i), SAMPLE_INBOX);
        }
        for (const i of order) {
          const sketch = drafts[i];
          if (sketch) await conversations.advanceHead(shuffled, toMessage(shuffled, sketch, i), SAMPLE_INBOX);
        }
        const head = await readHead(shuffled);
        expect(head).toEqual(await readHead(straight));
        const times = (inbound: boolean) =>
          drafts.filter(({ direction }) => (direction === "inbound") === inbound).map(({ after }) => NOW + after);
        const newest = (all: number[]) => (all.length === 0 ? null : Math.max(...all));
        expect(head.lastInboundAt).toBe(newest(times(true)));
        expect(head.lastOutboundAt).toBe(newest(times(false)));
        expect(head.lastAt).toBe(newest([...times(true), ...times(false)]));
      },
    ),
    { numRuns: 80 },
  );
});

it("a conversation's head ends the same when all its messages are applied at once, in any interleaving", async () => {
  await fc.assert(
    fc.asyncProperty(sketches, fc.scheduler(), async (drafts, scheduler) => {
      const [straight, interleaved] = [newTenant(), newTenant()];
      for (const [i, sketch] of drafts.entries()) {
        await conversations.advanceHead(straight, toMessage(straight, sketch, i), SAMPLE_INBOX);
      }
      const end = injectFaults(table.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
      try {
        await scheduler.waitFor(
          Promise.all(
            drafts.map((sketch, i) =>
              conversations.advanceHead(interleaved, toMessage(interleaved, sketch, i), SAMPLE_INBOX),
            ),
          ),
        );
      } finally {
        end();
      }
      expect(await readHead(interleaved)).toEqual(await readHead(straight));
    }),
    { numRuns: 40 },
  );
});

it.each([
  ["the send first", ["outbound", "echo"]],
  ["the echo first", ["echo", "outbound"]],
  ["the echo on both sides", ["echo", "outbound", "echo"]],
] as const)("a conversation's head shows our own send as outbound: %s", async (_name, order) => {
  const tenant = newTenant();
  for (const direction of order) {
    const sentAt = direction === "echo" ? NOW + 900 : NOW;
    const { message } = await outbound.record(tenant, sampleMessage(tenant, { id: "out", direction, sentAt }), NOW);
    await conversations.advanceHead(tenant, message, SAMPLE_INBOX);
  }
  expect(await conversations.get(tenant, sampleConversationId(tenant), NOW + 901)).toMatchObject({
    lastDirection: "outbound",
    lastInboundAt: null,
  });
});

it("a conversation's head shows 200 characters of a text and splits none", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "long", text: "🙂".repeat(201) }), SAMPLE_INBOX);
  expect((await readHead(tenant)).lastMessageText).toBe("🙂".repeat(200));
});

it("a conversation's head cannot be read by another tenant: using its key is a fault", async () => {
  const [owner, thief] = [newTenant(), newTenant()];
  await conversations.advanceHead(owner, sampleMessage(owner, { id: "m" }), SAMPLE_INBOX);
  await expect(conversations.get(thief, sampleConversationId(owner), NOW)).rejects.toThrow("another tenant");
  const query = { conversationId: sampleConversationId(owner), includeTest: false, limit: 5, now: NOW };
  await expect(conversations.getWithMessages(thief, query)).rejects.toThrow("another tenant");
});

it("a conversation's head survives a lost response at each of its requests", async () => {
  const steps = [
    { direction: "inbound", sentAt: NOW + 5 },
    { direction: "echo", sentAt: NOW + 3 },
    { direction: "inbound", sentAt: NOW + 4 },
  ] as const;
  for (let k = 0; k < 6; k++) {
    const tenant = newTenant();
    const end = injectFaults(table.client, ({ index }) => (index === k ? "lost" : "pass"));
    for (const [i, step] of steps.entries()) {
      await conversations.advanceHead(tenant, sampleMessage(tenant, { id: `m${i}`, ...step }), SAMPLE_INBOX);
    }
    end();
    expect(await readHead(tenant)).toMatchObject({
      lastAt: NOW + 5,
      lastInboundAt: NOW + 5,
      lastOutboundAt: NOW + 3,
    });
  }
});

it("the inbox is newest first over both directions, in pages that have each conversation once", async () => {
  const tenant = newTenant();
  const people = Array.from({ length: 45 }, (_, i) => String(1000 + i));
  // Every third message has the same instant.
  await Promise.all(
    people.map((id, i) => {
      const participant = { id, handle: null, username: null, name: null };
      const sentAt = NOW - Math.floor(i / 3) * MINUTE;
      const direction = i % 2 === 0 ? "inbound" : "echo";
      return conversations.advanceHead(
        tenant,
        sampleMessage(tenant, { id: `m${i}`, participant, sentAt, direction }),
        SAMPLE_INBOX,
      );
    }),
  );
  const visited: string[] = [];
  const times: number[] = [];
  let before: string | null = null;
  do {
    const { heads, next } = await conversations.inbox(tenant, { before, limit: 7, now: NOW });
    visited.push(...heads.map(({ ref }) => ref.participantId));
    times.push(...heads.map(({ lastAt }) => lastAt));
    before = next;
  } while (before !== null);
  expect([...visited].sort()).toEqual(people);
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

it("the inbox has one entry for a conversation that moved up", async () => {
  const tenant = newTenant();
  for (const sentAt of [NOW, NOW + 1, NOW - 1]) {
    await conversations.advanceHead(tenant, sampleMessage(tenant, { id: `m${sentAt}`, sentAt }), SAMPLE_INBOX);
  }
  const { heads, next } = await conversations.inbox(tenant, { before: null, limit: 5, now: NOW + 1 });
  expect(heads.map(({ lastAt }) => lastAt)).toEqual([NOW + 1]);
  expect(next).toBeNull();
});
