import fc from "fast-check";
import { expect, it } from "vitest";
import { shortHash } from "#base/kernel/bytes.ts";
import { deriveUlid, ulidTime } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { type Fault, injectFaults } from "../../../../support/faults.ts";
import { ingestEvents, listFeed } from "../../../../support/flows/platform-events.ts";
import {
  expectedInOrder,
  type HistoryStep,
  interleavings,
  suppressible,
  webhookBatches,
} from "../../../../support/flows/races/interleavings.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { NOW, newTenant } from "../../../../support/stores/samples.ts";

// For any order, batching and repetition, a history ends with
// - the same messages, texts and heads as in order, and no pending change left;
// - one event id per event, and the same events as in order, with one exception: an unsent message, its edits and its
//   reactions are published if they were ingested before the unsend and not if they were ingested after it. Concurrently, either may
//   happen. None of these events has a stored body left, as in order.
//
// The index that finds messages may lag at any time.

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

const START_AT = NOW - MINUTE;
const drawHistory = (length: number) =>
  interleavings(START_AT, length).chain((steps) =>
    fc.record({
      steps: fc.constant(steps),
      webhooks: webhookBatches(steps),
      lags: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
  );

interface HistoryRun {
  readonly tenant: TenantId;
  readonly account: string;
  /** Whether the index misses the row, per lookup, cycling. */
  readonly lags: readonly boolean[];
  /** The published events by ULID. */
  readonly published: Map<string, { type: string; place: string | null }>;
}

async function newRun(lags: readonly boolean[] = [false]): Promise<HistoryRun> {
  const tenant = newTenant();
  return { tenant, account: await testEnv.connect(tenant), lags, published: new Map() };
}

let lookups = 0;

function laggingPorts({ lags }: HistoryRun): IngestPorts {
  const ports = testEnv.ingestPorts(queues);
  const find: typeof ports.messageChanges.find = async (...query) => {
    const found = await ports.messageChanges.find(...query);
    return lags[lookups++ % lags.length] ? null : found;
  };
  return { ...ports, messageChanges: { ...ports.messageChanges, find } };
}

/** Ingests one webhook in a new process. */
async function ingestWebhook(run: HistoryRun, webhook: readonly HistoryStep[]): Promise<void> {
  const platformEvents = webhook.map(({ event: platformEvent }) => platformEvent);
  const { events: queuedEvents } = await ingestEvents(laggingPorts(run), run.account, platformEvents, testEnv.now());
  for (const { body } of queuedEvents) {
    const event = decodeEvent(body);
    if (!event) throw new Error("A queued event could not be decoded.");
    const { eventUlid, type, source } = event;
    expect(run.published.get(eventUlid)?.type ?? type).toBe(type);
    run.published.set(eventUlid, { type, place: source?.position ?? null });
  }
}

/** The published events of a run: messages by position, changes by the seed of their event id. */
function eventNames(run: HistoryRun, steps: readonly HistoryStep[]): string[] {
  const mids = new Map(steps.map(({ mid }) => [shortHash(mid), mid]));
  const names = [...run.published].map(([ulid, { type, place }]) => {
    if (place) return `${type} ${mids.get(place.split("#")[1] ?? "")}`;
    const isMine = (eventName: string) =>
      eventName.startsWith(type) &&
      deriveUlid(ulidTime(ulid), `${run.tenant}\n${toChangeName(eventName)}\n${type}`) === ulid;
    return (
      steps.find(({ expectedEvent }) => expectedEvent && isMine(expectedEvent))?.expectedEvent ?? `an unknown ${type}`
    );
  });
  // A repeated name would mean two ids for one event.
  expect(new Set(names).size).toBe(names.length);
  return names.sort();
}

function toChangeName(expectedEvent: string): string {
  const [type, mid, ...rest] = expectedEvent.split(" ");
  if (type === "message.deleted") return JSON.stringify([mid, "unsend"]);
  if (type === "message.edited") return JSON.stringify([mid, "edit", Number(rest[0])]);
  const [action, at, ...by] = rest;
  return JSON.stringify([mid, "reaction", action, Number(at), ...by]);
}

/**
 * Whether an answer to a person may come after a newer message of theirs. Of the messages after such an answer the head may
 * show a later one as the first that waits.
 */
function mayAnswerLate(steps: readonly HistoryStep[], participantId: string): boolean {
  const own = steps.map(({ event }) => event).filter(({ person }) => person === participantId);
  const answers = own.filter(({ fromAccount }) => fromAccount);
  return answers.some(({ at }) => own.some((event) => !event.fromAccount && event.at >= at));
}

/** Messages and heads as the API shows them, without tenant-specific ids. */
async function readState({ tenant, account }: HistoryRun, steps: readonly HistoryStep[]) {
  const people = [0, 1, 2].map((i) => `person-${i}`);
  const conversations = conversationStore(testEnv.table);
  const now = testEnv.now();
  const perPerson = await Promise.all(
    people.map(async (participantId) => {
      const id = conversationId({ tenant, account: { platform: "instagram", externalId: account }, participantId });
      const [head, page, snapshots] = await Promise.all([
        conversations.get(tenant, id, now),
        messageStore(testEnv.table).listByConversation(tenant, {
          conversationId: id,
          direction: null,
          includeTest: true,
          before: null,
          limit: 100,
          now,
        }),
        conversations.snapshots([id]),
      ]);
      const { id: _id, ref: _ref, waitingSince, ...visibleHead } = head ?? { id, ref: null, waitingSince: null };
      const messages = page.rows.map(({ message, position: place }) => ({
        ...toMessageResponse(message),
        // These two name the tenant, which differs between the runs.
        conversation_id: null,
        account_key: null,
        // An unsent row stores the count of its edits where they came first. No reader shows it.
        edit: message.unsentAt === undefined ? message.edit : undefined,
        place,
      }));
      expect(waitingSince ?? 0).toBeLessThanOrEqual(head?.lastInboundAt ?? 0);
      const waiting = mayAnswerLate(steps, participantId) ? waitingSince !== null : waitingSince;
      return {
        head: head && { ...visibleHead, waiting },
        messages,
        pendingMessages: snapshots.get(id)?.pendingMessageIds.size,
      };
    }),
  );
  const feed = await listFeed(testEnv, tenant);
  return { perPerson, feed: feed.map(({ id, text, sentAt }) => ({ id, text, sentAt })) };
}

async function expectGone(run: HistoryRun, steps: readonly HistoryStep[]): Promise<void> {
  const gone = suppressible(steps);
  const bodies = await eventBodyStore(testEnv.table).getByUlids(run.tenant, [...run.published.keys()]);
  for (const { body } of bodies.values()) {
    const { type, data } = JSON.parse(body) as { type: string; data: { message: { id: string; edit_count?: number } } };
    expect(gone).not.toContain(`${type} ${data.message.id} ${data.message.edit_count}`);
  }
}

it("a history of messages and their changes ends the same in any order, and publishes everything that no unsend preceded", async () => {
  await fc.assert(
    fc.asyncProperty(drawHistory(14), async ({ steps, webhooks, lags }) => {
      const [inOrder, shuffled] = [await newRun(), await newRun(lags)];
      for (const step of steps) await ingestWebhook(inOrder, [step]);
      for (const webhook of webhooks) await ingestWebhook(shuffled, webhook);
      const state = await readState(shuffled, steps);
      expect(state).toEqual(await readState(inOrder, steps));
      expect(state.perPerson.map(({ pendingMessages: pendingCount }) => pendingCount)).toEqual([0, 0, 0]);
      expect(eventNames(inOrder, steps)).toEqual([...expectedInOrder(steps)].sort());
      expect(eventNames(shuffled, steps)).toEqual([...expectedInOrder(webhooks.flat())].sort());
      await expectGone(shuffled, steps);
    }),
    { numRuns: 25 },
  );
});

it("a history of messages and their changes ends the same when all its webhooks are ingested concurrently, in any interleaving of their calls", async () => {
  await fc.assert(
    fc.asyncProperty(drawHistory(9), fc.scheduler(), async ({ steps, webhooks, lags }, scheduler) => {
      const [inOrder, atOnce] = [await newRun(), await newRun(lags)];
      for (const step of steps) await ingestWebhook(inOrder, [step]);
      const end = injectFaults(testEnv.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
      try {
        await scheduler.waitFor(Promise.all(webhooks.map((webhook) => ingestWebhook(atOnce, webhook))));
      } finally {
        end();
      }
      const state = await readState(atOnce, steps);
      expect(state).toEqual(await readState(inOrder, steps));
      expect(state.perPerson.map(({ pendingMessages: pendingCount }) => pendingCount)).toEqual([0, 0, 0]);
      const publishedNames = eventNames(atOnce, steps);
      // In order, a reaction that follows an unsend is not published. Concurrently it may come first.
      const all = new Set(steps.flatMap(({ expectedEvent }) => expectedEvent ?? []));
      const may = suppressible(steps);
      expect([...all]).toEqual(expect.arrayContaining(publishedNames));
      expect([...all].filter((name) => !publishedNames.includes(name) && !may.has(name))).toEqual([]);
      await expectGone(atOnce, steps);
    }),
    { numRuns: 25 },
  );
});
