import fc from "fast-check";
import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { Direction, Message } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, type FaultyOperation, injectFaults, withFaults } from "../../../support/faults.ts";
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

/**
 * The first inbound message after the last outbound one waits. Where that outbound message came after newer inbound ones, it is
 * one of those.
 */
function expectWaiting(drafts: readonly MessageSketch[], waitingSince: number | null): void {
  const times = (isInbound: boolean) =>
    drafts.filter(({ direction }) => (direction === "inbound") === isInbound).map(({ after }) => NOW + after);
  const lastOutbound = Math.max(Number.NEGATIVE_INFINITY, ...times(false));
  const waiting = times(true).filter((at) => at > lastOutbound);
  if (waitingSince === null) return;
  expect(waiting.length === 0 ? times(true) : waiting).toContain(waitingSince);
}

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
        const { waitingSince, ...head } = await readHead(shuffled);
        const { waitingSince: _, ...expected } = await readHead(straight);
        expect(head).toEqual(expected);
        expectWaiting(drafts, waitingSince);
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
      const { waitingSince, ...head } = await readHead(interleaved);
      const { waitingSince: _, ...expected } = await readHead(straight);
      expect(head).toEqual(expected);
      expectWaiting(drafts, waitingSince);
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

const inbound = (tenant: TenantId, id: string, sentAt: number) =>
  sampleMessage(tenant, { id, direction: "inbound", sentAt });
const answer = (tenant: TenantId, id: string, sentAt: number) =>
  sampleMessage(tenant, { id, direction: "outbound", sentAt });

it("a person waits since the first message after the last answer, for every order of the messages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .shuffledSubarray([1, 2, 3, 4], { minLength: 4 })
        .chain((order) =>
          fc.array(fc.constantFrom(1, 2, 3, 4), { maxLength: 3 }).map((repeated) => [...order, ...repeated]),
        ),
      async (order) => {
        const tenant = newTenant();
        await conversations.advanceHead(tenant, inbound(tenant, "before", NOW - 2), SAMPLE_INBOX);
        await conversations.advanceHead(tenant, answer(tenant, "answer", NOW), SAMPLE_INBOX);
        expect((await readHead(tenant)).waitingSince).toBeNull();
        for (const after of order) {
          await conversations.advanceHead(tenant, inbound(tenant, `m${after}`, NOW + after), SAMPLE_INBOX);
        }
        expect((await readHead(tenant)).waitingSince).toBe(NOW + 1);
      },
    ),
    { numRuns: 20 },
  );
});

it("an answer that comes after newer messages leaves the last of them waiting, and later ones change nothing", async () => {
  const tenant = newTenant();
  for (const after of [1, 3, 4]) {
    await conversations.advanceHead(tenant, inbound(tenant, `m${after}`, NOW + after), SAMPLE_INBOX);
  }
  await conversations.advanceHead(tenant, answer(tenant, "late", NOW + 2), SAMPLE_INBOX);
  expect((await readHead(tenant)).waitingSince).toBe(NOW + 4);
  await conversations.advanceHead(tenant, inbound(tenant, "next", NOW + 5), SAMPLE_INBOX);
  expect((await readHead(tenant)).waitingSince).toBe(NOW + 4);
});

it("an answer knows since when the person waited, however often it is stored, and a further message answers nothing", async () => {
  const tenant = newTenant();
  const answersSince = async (message: Message) =>
    (await conversations.advanceHead(tenant, message, SAMPLE_INBOX)).answersSince;
  expect(await answersSince(answer(tenant, "first", NOW - 9))).toBeNull();
  expect(await answersSince(inbound(tenant, "m1", NOW))).toBeNull();
  expect(await answersSince(inbound(tenant, "m2", NOW + 1))).toBeNull();
  for (let run = 0; run < 3; run++) expect(await answersSince(answer(tenant, "m3", NOW + 2))).toBe(NOW);
  for (let run = 0; run < 2; run++) expect(await answersSince(answer(tenant, "m4", NOW + 3))).toBeNull();
  expect(await answersSince(answer(tenant, "m3", NOW + 2))).toBeNull();
  expect(await answersSince(inbound(tenant, "m5", NOW + 4))).toBeNull();
  expect(await answersSince(answer(tenant, "m6", NOW + 5))).toBe(NOW + 4);
});

it("an answer that was stored as an unmatched echo first knows since when the person waited as a send, too", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW), SAMPLE_INBOX);
  for (const direction of ["echo", "outbound"] as const) {
    const message = sampleMessage(tenant, { id: "m2", direction, sentAt: NOW + 1 });
    expect((await conversations.advanceHead(tenant, message, SAMPLE_INBOX)).answersSince).toBe(NOW);
  }
});

it("an answer that comes after a newer message knows since when the person waited, if any message was before it", async () => {
  const tenant = newTenant();
  const answersSince = async (id: string, sentAt: number) =>
    (await conversations.advanceHead(tenant, answer(tenant, id, sentAt), SAMPLE_INBOX)).answersSince;
  for (const after of [1, 4]) {
    await conversations.advanceHead(tenant, inbound(tenant, `m${after}`, NOW + after), SAMPLE_INBOX);
  }
  expect(await answersSince("early", NOW)).toBeNull();
  expect(await answersSince("late", NOW + 2)).toBe(NOW + 1);
  expect(await answersSince("later", NOW + 3)).toBeNull();
});

it("an answer ends the waiting", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW), SAMPLE_INBOX);
  await conversations.advanceHead(tenant, answer(tenant, "m2", NOW + 1), SAMPLE_INBOX);
  expect(await readHead(tenant)).toMatchObject({ waitingSince: null, doneAt: null });
  await conversations.advanceHead(tenant, inbound(tenant, "m3", NOW + 3), SAMPLE_INBOX);
  expect(await readHead(tenant)).toMatchObject({ waitingSince: NOW + 3 });
});

it("the last message has the kind of its first attachment, until it is unsent", async () => {
  const tenant = newTenant();
  const photo = sampleMessage(tenant, {
    id: "m1",
    text: "",
    attachments: [{ type: "image", url: "https://lookaside.fbsbx.com/1" }],
    sentAt: NOW,
  });
  await conversations.advanceHead(tenant, photo, SAMPLE_INBOX);
  expect(await readHead(tenant)).toMatchObject({ lastMessageKind: "image", lastMessageText: "" });
  await conversations.refreshPreview({ ...photo, unsentAt: NOW + 1 });
  expect(await readHead(tenant)).toMatchObject({ lastMessageKind: "text", lastMessageText: "" });
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "m2", sentAt: NOW + 2 }), SAMPLE_INBOX);
  expect((await readHead(tenant)).lastMessageKind).toBe("text");
});

const setDone = (tenant: TenantId, done: boolean, now = NOW + 5) =>
  conversations.setDone(tenant, sampleConversationId(tenant), { done, now });

it("a conversation is done until a newer message comes, and one that comes late and is older changes nothing", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m2", NOW + 2), SAMPLE_INBOX);
  expect(await setDone(tenant, true)).toMatchObject({ changed: true, head: { doneAt: NOW + 5 } });
  expect(await setDone(tenant, true, NOW + 9)).toMatchObject({ changed: false, head: { doneAt: NOW + 5 } });
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW + 1), SAMPLE_INBOX);
  await conversations.advanceHead(tenant, inbound(tenant, "m2", NOW + 2), SAMPLE_INBOX);
  expect((await readHead(tenant)).doneAt).toBe(NOW + 5);
  await conversations.advanceHead(tenant, inbound(tenant, "m3", NOW + 3), SAMPLE_INBOX);
  expect((await readHead(tenant)).doneAt).toBeNull();
});

it("a mark that is removed leaves a conversation that needs a reply", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW), SAMPLE_INBOX);
  await setDone(tenant, true);
  expect(await setDone(tenant, false)).toMatchObject({ changed: true, head: { doneAt: null } });
  expect(await setDone(tenant, false)).toMatchObject({ changed: false, head: { doneAt: null } });
});

it("a conversation that was answered, and one that does not exist, cannot be done", async () => {
  const [answered, unknown] = [newTenant(), newTenant()];
  await conversations.advanceHead(answered, inbound(answered, "m1", NOW), SAMPLE_INBOX);
  await conversations.advanceHead(answered, answer(answered, "m2", NOW + 1), SAMPLE_INBOX);
  expect(await setDone(answered, true)).toMatchObject({ changed: false, head: { doneAt: null } });
  expect(await setDone(unknown, true)).toBeNull();
});

it("a message that comes while a conversation is marked as done still needs a reply", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW), SAMPLE_INBOX);
  let hasCome = false;
  const arriveBeforeWrite = async ({ command }: FaultyOperation): Promise<Fault> => {
    if (command === "UpdateItem" && !hasCome) {
      hasCome = true;
      await conversations.advanceHead(tenant, inbound(tenant, "m2", NOW + 1), SAMPLE_INBOX);
    }
    return "pass";
  };
  const result = await withFaults(table.client, arriveBeforeWrite, () => setDone(tenant, true));
  expect(hasCome).toBe(true);
  expect(result).toMatchObject({ changed: false, head: { doneAt: null, lastAt: NOW + 1 } });
});

it("a mark whose answer was lost is made once", async () => {
  const tenant = newTenant();
  await conversations.advanceHead(tenant, inbound(tenant, "m1", NOW), SAMPLE_INBOX);
  let writes = 0;
  const result = await withFaults(
    table.client,
    (operation) => (operation.command === "UpdateItem" && writes++ === 0 ? "lost" : "pass"),
    () => setDone(tenant, true),
  );
  expect(writes).toBe(2);
  expect(result).toMatchObject({ head: { doneAt: NOW + 5 } });
});
