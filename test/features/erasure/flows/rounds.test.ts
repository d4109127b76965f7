import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { counterStore } from "#features/stats/store/counters.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
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
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());

/** A conversation whose rows need several batches of removals. */
async function newSubject(): Promise<DataSubject> {
  const tenant = newTenant();
  const endpoints = [await putEndpointRow(testEnv, tenant, "one")];
  const created = await seedDataSubject(testEnv, tenant, endpoints, { messages: 30 });
  testEnv.advance(SECOND);
  return created;
}

/** Every request that would remove an item whose key contains the text crashes. */
const failRemovals = (text: string) =>
  injectFaults(testEnv.client, ({ command, input }) =>
    /^(BatchWriteItem|DeleteItem)$/.test(command) && JSON.stringify(input).includes(text) ? "crash" : "pass",
  );

it("an erasure removes the conversation's rows only after what they refer to is gone", async () => {
  // Held messages, uploads, due sends, stored bodies and deliveries.
  for (const key of ['"H#', '"U#', '"QS#', '"E#', '"D#']) {
    const subject = await newSubject();
    const restore = failRemovals(key);
    await expect(runErasure(testEnv, queues, subject)).rejects.toThrow("crashed");
    restore();
    await drainErasures(testEnv, queues);
    expect(await rowsMentioning(testEnv, subject), key).toEqual([]);
  }
});

it("an erasure continues half an hour after its background failed ten times", async () => {
  const subject = await newSubject();
  await runErasure(testEnv, queues, subject, 0);
  const sweep = () => sweepDue(testEnv.sweepPorts(queues), testEnv.now());
  await sweep();
  testEnv.advance(MINUTE);
  const quarantine = deadLettersWorker(
    {
      findSourceQueue: () => "Erasures",
      tenants: tenantStore(testEnv.table),
      receivedMessages: testEnv.receivedMessages,
      quarantine: quarantineStore(testEnv.table),
      deliveries: deliveryStore(testEnv.table),
      due: dueStore(testEnv.table),
      counters: counterStore(testEnv.table),
      log: () => {},
    },
    testEnv.now,
  );
  await invokeWorker(testEnv.eventSource, queues.erasures, quarantine);
  expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);

  testEnv.advance(29 * MINUTE);
  await sweep();
  const erase = () =>
    invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));
  expect((await erase()).records).toEqual([]);
  testEnv.advance(MINUTE);
  expect((await erase()).failed).toEqual([]);
  await drainErasures(testEnv, queues);
  expect(await rowsMentioning(testEnv, subject)).toEqual([]);
});
