import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { injectFaults } from "../../../support/faults.ts";
import {
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  runErasure,
  seedDataSubject,
} from "../../../support/flows/data-subject.ts";
import { inboundBody } from "../../../support/flows/inbound-webhooks.ts";
import { newConversation } from "../../../support/flows/new-conversation.ts";
import {
  changeWebhookBody,
  editEvent,
  listFeed,
  type PlatformEvent,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../support/flows/platform-events.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

// A transaction elsewhere holds an item for a moment: a reply its conversation's head, a replay its delivery's row.

let queues: TestQueues;
let endConflicts: () => void;
let conflicts: number;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  queues = await testEnv.newQueues();
  endConflicts = () => {};
});
afterEach(() => endConflicts());

const writes = ["PutItem", "UpdateItem", "DeleteItem"];

/** From now on each write of an item meets a transaction the first two times. */
function conflictEachWrite(): void {
  const attempts = new Map<string, number>();
  conflicts = 0;
  endConflicts = injectFaults(testEnv.client, ({ command, input }) => {
    if (!writes.includes(command)) return "pass";
    const write = JSON.stringify(input);
    const attempt = (attempts.get(write) ?? 0) + 1;
    attempts.set(write, attempt);
    if (attempt > 2) return "pass";
    conflicts++;
    return "conflict";
  });
}

describe("writes that meet a transaction", () => {
  let tenant: TenantId;
  let account: string;
  let conversation: string;
  let at: number;
  beforeEach(async () => {
    ({ tenant, account, conversation } = await newConversation(testEnv));
    at = testEnv.now() - MINUTE;
  });

  /** Receives one webhook. @returns how many of its messages the worker gave back to the queue */
  async function ingest(...platformEvents: PlatformEvent[]): Promise<number> {
    const body = inboundBody(changeWebhookBody(account, platformEvents), testEnv.now());
    await openQueue(queues.inbound, testEnv.eventSource).send({ body });
    const worker = ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
    return (await invokeWorker(testEnv.eventSource, queues.inbound, worker)).failed.length;
  }

  it.each<[string, PlatformEvent[]]>([
    ["a message", []],
    ["an echo", [textEvent("echo", "ours", 3, { fromAccount: true })]],
    ["an edit", [editEvent("m1", "second", 1, 3)]],
    ["an unsend", [unsendEvent("m1", 3)]],
    ["a reaction", [reactionEvent("m1", "react", 3)]],
    ["an edit before its message", [editEvent("m2", "second", 1, 3), textEvent("m2", "first", 2)]],
    ["an unsend before its message", [unsendEvent("m2", 3), textEvent("m2", "first", 2)]],
  ])(
    "a webhook whose every write meets a transaction, with %s, is processed within its first receive",
    async (_what, changes) => {
      const platformEvents = [textEvent("m1", "first", 1), ...changes].map((event) => ({
        ...event,
        at: at + event.at,
      }));
      conflictEachWrite();
      expect(await ingest(...platformEvents)).toBe(0);
      expect(conflicts).toBeGreaterThan(3);
      endConflicts();
      const stored = await listFeed(testEnv, tenant);
      const events = await queueDepth(testEnv.eventSource, queues.events);

      // Another conversation gets the same webhook without conflicts.
      ({ tenant, account, conversation } = await newConversation(testEnv));
      queues = await testEnv.newQueues();
      expect(await ingest(...platformEvents)).toBe(0);
      const withoutIds = (messages: readonly object[]) =>
        messages.map((message) => ({ ...message, account: "", conversationId: "", eventUlid: "" }));
      expect(withoutIds(stored)).toEqual(withoutIds(await listFeed(testEnv, tenant)));
      expect(events).toBe(await queueDepth(testEnv.eventSource, queues.events));
    },
  );

  it("a webhook whose every write meets a transaction leaves nothing of a conversation that is being erased", async () => {
    await ingest(textEvent("m1", "secret", at));
    await runErasure(testEnv, queues, { tenant, conversation });
    conflictEachWrite();
    expect(await ingest(textEvent("late", "secret", at + 1))).toBe(0);
    endConflicts();
    expect(await listFeed(testEnv, tenant)).toEqual([]);
    expect(await conversationStore(testEnv.table).get(tenant, conversation, testEnv.now())).toBeNull();
  });
});

it("an erasure whose every single write meets a transaction completes in its request", async () => {
  const tenant = newTenant();
  const subject = await seedDataSubject(testEnv, tenant, [await putEndpointRow(testEnv, tenant, "one")]);
  testEnv.advance(SECOND);
  conflictEachWrite();
  const result = await runErasure(testEnv, queues, subject);
  expect(isRefusal(result)).toBe(false);
  expect(result).toEqual({ done: true, removed: subject.counts });
  await drainErasures(testEnv, queues);
  expect(conflicts).toBeGreaterThan(1);
  expect(await rowsMentioning(testEnv, subject)).toEqual([]);
});
