import { setImmediate as nextTurn } from "node:timers/promises";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, it, vi } from "vitest";
import { HOUR } from "#base/kernel/time.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { allRows } from "../../support/flows/data-subject.ts";
import { openOutage } from "../../support/flows/outage-fixture.ts";
import { invokeUntilDeadline, invokeWithRecord, type QueueWorker } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
afterEach(() => void vi.useRealTimers());
const outage = openedEach(() => openOutage(testEnv));
const row = openedEach(() => outage.createDelivery(outage.endpoint, "retrying"));

/** The worker of a process that stands still once it has read the event of the delivery, until the thaw. */
function slowWorker() {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let hasThawed = false;
  const messages: DeliverPorts["messages"] = {
    getByRefs: async (...refs) => {
      const found = await outage.deliverPorts.messages.getByRefs(...refs);
      reached.resolve();
      await gate.promise;
      hasThawed = true;
      return found;
    },
  };
  return {
    worker: deliverWorker({ ...outage.deliverPorts, messages }, testEnv.now) as QueueWorker,
    reached: reached.promise,
    thaw: async () => {
      gate.resolve();
      // A call of the receiver takes fewer turns, as the first test shows.
      for (let turn = 0; turn < 500; turn++) await nextTurn();
      expect(hasThawed).toBe(true);
    },
  };
}

const body = () =>
  encodeRetry({ tenant: outage.tenant, endpointId: row.endpointId, eventUlid: row.eventUlid, attempt: 2 });

it("a delivery whose worker stands still before the call is made when the worker continues in time", async () => {
  const { worker, reached, thaw } = slowWorker();
  const answer = invokeWithRecord(worker, body());
  await reached;
  await thaw();
  expect(await answer).toEqual({ batchItemFailures: [] });
  expect(outage.calls()).toHaveLength(1);
});

it("a delivery whose worker stands still before the call is not made once the worker has answered", async () => {
  const { worker, reached, thaw } = slowWorker();
  const answer = await invokeUntilDeadline(() => invokeWithRecord(worker, body()), reached);
  expect(answer.batchItemFailures).toHaveLength(1);
  testEnv.advance(2 * HOUR);
  await thaw();
  expect(outage.calls()).toEqual([]);
});

it("a delivery whose worker stands still before the call is not made when its tenant no longer has any data", async () => {
  const { worker, reached, thaw } = slowWorker();
  await invokeUntilDeadline(() => invokeWithRecord(worker, body()), reached);
  testEnv.advance(2 * HOUR);
  const tenantRows = async () => (await allRows(testEnv)).filter(({ PK }) => String(PK).includes(outage.tenant));
  for (const { PK, SK } of await tenantRows()) {
    await testEnv.table.client.send(new DeleteCommand({ TableName: testEnv.table.name, Key: { PK, SK } }));
  }
  await thaw();
  expect([outage.calls(), await tenantRows()]).toEqual([[], []]);
});
