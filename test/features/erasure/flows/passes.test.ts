import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { injectFaults } from "../../../support/faults.ts";
import {
  type DataSubject,
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  runErasure,
  seedDataSubject,
} from "../../../support/flows/data-subject.ts";
import { invokeWorker } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant, sampleMessage } from "../../../support/stores/samples.ts";

let queues: TestQueues;
let tenant: TenantId;
let endpointId: string;
let subject: DataSubject;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  tenant = newTenant();
  queues = await testEnv.newQueues();
  endpointId = await putEndpointRow(testEnv, tenant, "one");
  subject = await seedDataSubject(testEnv, tenant, [endpointId]);
  testEnv.advance(SECOND);
});

/** Stores a message from before the erasure, as a worker that read before it would. */
async function recordLateMessage(sentAt: number): Promise<Message> {
  const late = sampleMessage(tenant, { id: "late", sentAt });
  await messageStore(testEnv.table).record(tenant, late, testEnv.now());
  return late;
}

async function recordAttempt({ eventUlid }: Message): Promise<void> {
  await deliveryStore(testEnv.table).recordFirst(
    tenant,
    { endpointId, eventUlid, eventType: "message.received", source: null },
    {
      verdict: { status: "delivered" },
      outcome: { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
      settledAt: testEnv.now(),
    },
  );
}

it("a message that is stored late, among rows that are counted and not removed is removed with them, and its later delivery with the next pass", async () => {
  const end = injectFaults(testEnv.client, ({ command }) => (command === "BatchWriteItem" ? "crash" : "pass"));
  await expect(runErasure(testEnv, queues, subject)).rejects.toThrow("crashed");
  end();
  // Older than some counted rows, so no later page of the first pass has it.
  const late = await recordLateMessage(testEnv.now() - SECOND - 700);
  expect(await runErasure(testEnv, queues, subject)).toEqual({ done: true, removed: subject.counts });
  expect((await rowsMentioning(testEnv, subject)).map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
  await recordAttempt(late);
  await drainErasures(testEnv, queues);
  expect(await deliveryStore(testEnv.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
});

it("a worker that read before the erasure and runs until its time limit writes before the next pass, however often the background runs", async () => {
  await runErasure(testEnv, queues, subject);
  for (let waited = 0; waited < MINUTE; waited += 5 * SECOND) {
    testEnv.advance(5 * SECOND);
    await invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));
  }
  const late = await recordLateMessage(testEnv.now() - 2 * MINUTE);
  await recordAttempt(late);
  await drainErasures(testEnv, queues);
  expect(await rowsMentioning(testEnv, subject)).toEqual([]);
  expect(await deliveryStore(testEnv.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
});
