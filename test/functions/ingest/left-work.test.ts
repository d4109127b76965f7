import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { allRows, drainErasures, tenantCaller } from "../../support/flows/data-subject.ts";
import { inboundBody, instagramWebhook } from "../../support/flows/inbound-webhooks.ts";
import { invokeUntilDeadline, invokeWorker } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
afterEach(() => void vi.useRealTimers());

it("a worker that was out of time restores nothing of an erased conversation when it thaws", async () => {
  const queues = await testEnv.newQueues();
  const tenant = newTenant();
  const account = await testEnv.connect(tenant);
  const ports = testEnv.ingestPorts(queues);
  const queueMessage = (mid: string) => {
    const body = inboundBody(instagramWebhook(account, [{ mid, text: mid, at: testEnv.now() }]), testEnv.now());
    return openQueue(queues.inbound, testEnv.eventSource).send({ body });
  };
  const run = (workerPorts = ports) =>
    invokeWorker(testEnv.eventSource, queues.inbound, ingestWorker(workerPorts, testEnv.now));
  const conversationRows = async () =>
    (await allRows(testEnv))
      .filter(({ PK }) => String(PK).startsWith(`CONV#${tenant}`))
      .map(({ PK, SK }) => ({ PK, SK }));
  const drain = async () => {
    for (let pass = 0; pass < 6; pass++) {
      testEnv.advance(10 * MINUTE);
      await drainErasures(testEnv, queues);
    }
  };

  await queueMessage("one");
  await run();
  const head = (await conversationRows()).find(({ SK }) => SK === "~HEAD");
  const conversationId = String(head?.PK);
  testEnv.advance(SECOND);

  await queueMessage("two");
  const reached = Promise.withResolvers<void>();
  const thaw = Promise.withResolvers<void>();
  let callsAfterThaw = 0;
  const snapshots: typeof ports.conversations.snapshots = async (...refs) => {
    reached.resolve();
    await thaw.promise;
    callsAfterThaw++;
    return ports.conversations.snapshots(...refs);
  };
  const slowPorts = { ...ports, conversations: { ...ports.conversations, snapshots } };
  expect((await invokeUntilDeadline(() => run(slowPorts), reached.promise)).failed).toHaveLength(1);
  testEnv.advance(SECOND);
  const caller = tenantCaller(tenant);
  const erasure = { tenant, conversationId, author: { caller, ip: null }, now: testEnv.now(), time: testEnv };
  await eraseConversation(testEnv.erasePorts(queues), erasure, () => true);
  testEnv.advance(4 * MINUTE);
  // Another process receives the message, which is older than the erasure.
  expect((await run()).failed).toEqual([]);
  await drain();
  const markers = await conversationRows();
  expect(markers.map(({ SK }) => SK)).not.toContain("~HEAD");

  thaw.resolve();
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(callsAfterThaw).toBe(1);
  expect(await conversationRows()).toEqual(markers);
});
