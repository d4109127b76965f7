import type { UpdateItemInput } from "@aws-sdk/client-dynamodb";
import { KMSInternalException } from "@aws-sdk/client-kms";
import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { encodeEndpointTask, encodeRetry } from "#features/delivery/queue.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { injectFaults } from "../../support/faults.ts";
import { openOutage } from "../../support/flows/outage-fixture.ts";
import { invokeWithRecord, queueDepth, receiveAllMessages } from "../../support/flows/queue-worker.ts";
import { recordMessage } from "../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const outage = openedEach(() => openOutage(testEnv));
beforeEach(async () => {
  testEnv.lines.length = 0;
});

const kmsFault = () => new KMSInternalException({ $metadata: { httpStatusCode: 500 }, message: "injected" });
const failingWith = (error: Error): Partial<DeliverPorts> => ({ vault: { open: () => Promise.reject(error) } });

/** @returns the message ids that the worker reported as failed */
async function process(
  body: string,
  { ports = {}, receives = 1 }: { ports?: Partial<DeliverPorts>; receives?: number },
) {
  const worker = deliverWorker({ ...outage.deliverPorts, ...ports }, testEnv.now);
  return (await invokeWithRecord(worker, body, receives)).batchItemFailures;
}

const retryBody = ({ endpointId, eventUlid }: DeliveryRow) =>
  encodeRetry({ tenant: outage.tenant, endpointId, eventUlid, attempt: 2 });
const readRow = ({ eventUlid }: DeliveryRow) => outage.row(outage.endpoint, eventUlid);
const depth = (queue: "events" | "deliveries" | "slowDeliveries") =>
  queueDepth(testEnv.eventSource, outage.queues[queue]);

it.each([
  { fault: "the key cannot be used", ports: () => failingWith(kmsFault()) },
  {
    fault: "the event's message cannot be read",
    ports: () => ({ messages: { getByRefs: () => Promise.reject(kmsFault()) } }),
  },
])("no attempt is spent and no lease held by a fault of a retry, when $fault", async ({ ports }) => {
  const row = await outage.createDelivery(outage.endpoint, "retrying");
  // The queue sends the message again, and the table is slower than that.
  for (let receives = 1; receives <= 3; receives++) {
    expect(await process(retryBody(row), { ports: ports(), receives })).toHaveLength(1);
    expect(await readRow(row)).toMatchObject({ status: "retrying", attempt: 1, leaseUntil: null });
    expect((await readRow(row))?.nextRetryAt).toBeLessThanOrEqual(testEnv.now());
  }
  expect(await process(retryBody(row), {})).toEqual([]);
  expect(await readRow(row)).toMatchObject({ status: "delivered", attempt: 2 });
  expect(outage.calls()).toHaveLength(1);
});

it("no attempt is spent and no lease held by a fault of a retry, when the table does not answer the claim that it has written", async () => {
  const row = await outage.createDelivery(outage.endpoint, "retrying");
  const isClaim = (input: unknown) => !String((input as UpdateItemInput).UpdateExpression).includes("REMOVE");
  const removeFaults = injectFaults(testEnv.client, ({ command, input }) =>
    command === "UpdateItem" && isClaim(input) ? "lost" : "pass",
  );
  expect(await process(retryBody(row), {})).toHaveLength(1);
  removeFaults();
  expect(await readRow(row)).toMatchObject({ status: "retrying", attempt: 1, leaseUntil: null });
  expect(await process(retryBody(row), { receives: 2 })).toEqual([]);
  expect(await readRow(row)).toMatchObject({ status: "delivered", attempt: 2 });
});

it.each(["reads no message", "does not answer the claim"])(
  "no attempt is spent and no lease held by a fault of a retry, when the table %s and takes no claim back: a new message continues the claim, and its copy does nothing",
  async (fault) => {
    const row = await outage.createDelivery(outage.endpoint, "retrying");
    const isRelease = (input: unknown) => String((input as UpdateItemInput).UpdateExpression).includes("REMOVE");
    const removeFaults = injectFaults(testEnv.client, ({ command, input }) => {
      if (command === "UpdateItem" && isRelease(input)) return "fail";
      if (command === "UpdateItem") return fault === "reads no message" ? "pass" : "lost";
      return command === "BatchGetItem" ? "fail" : "pass";
    });
    let body = retryBody(row);
    for (let round = 1; round <= 2; round++) {
      expect(await process(body, {})).toEqual([]);
      testEnv.advance(10 * SECOND);
      const messages = await receiveAllMessages(testEnv.eventSource, outage.queues.deliveries);
      expect(messages).toHaveLength(1);
      body = messages[0]?.body ?? "";
    }
    removeFaults();
    // The lease is over.
    testEnv.advance(MINUTE);
    await Promise.all([process(body, {}), process(body, {})]);
    expect(await readRow(row)).toMatchObject({ status: "delivered", attempt: 2 });
    expect(outage.calls()).toHaveLength(1);
  },
);

it("no attempt is spent and no lease held by a fault of a probe, when the key cannot be used", async () => {
  const { openUntil } = await outage.openCircuit();
  testEnv.advance(openUntil - testEnv.now());
  const task = { tenant: outage.tenant, endpointId: outage.endpoint.id, kind: "probe", after: null } as const;
  const body = encodeEndpointTask({ ...task, probe: openUntil });
  const probeFrom = outage.queues.slowDeliveries;
  const worker = deliverWorker({ ...outage.deliverPorts, ...failingWith(kmsFault()) }, testEnv.now);
  expect((await invokeWithRecord(worker, body, 1, probeFrom)).batchItemFailures).toHaveLength(1);
  const rows = await outage.rows(outage.endpoint);
  expect(rows.map(({ status, leaseUntil }) => [status, leaseUntil])).toEqual(Array(10).fill(["retrying", null]));
});

it("an outage that lasts longer than the receives of a message postpones an event: it is delivered after the outage, with its first attempt", async () => {
  const { message, body } = await recordMessage(testEnv, outage.tenant);
  for (let receives = 1; receives <= 4; receives++) {
    expect(await process(body, { ports: failingWith(kmsFault()), receives })).toHaveLength(1);
  }
  expect(await depth("events")).toBe(0);
  expect(await process(body, { ports: failingWith(kmsFault()), receives: 5 })).toEqual([]);
  expect(await depth("events")).toBe(1);
  expect(testEnv.lines.filter(({ event }) => event === "record.postponed")).toEqual([
    { event: "record.postponed", error: "KMSInternalException", receives: 5, delay_ms: 7.5 * MINUTE, stage: "prepare" },
  ]);
  await outage.drainQueues();
  expect(outage.calls()).toEqual([]);
  testEnv.advance(15 * MINUTE);
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
});

it("an outage that lasts longer than the receives of a message postpones an attempt, and no attempt is spent", async () => {
  const row = await outage.createDelivery(outage.endpoint, "retrying");
  expect(await process(retryBody(row), { ports: failingWith(kmsFault()), receives: 5 })).toEqual([]);
  expect(await depth("deliveries")).toBe(1);
  testEnv.advance(15 * MINUTE);
  await outage.drainQueues();
  expect(await readRow(row)).toMatchObject({ status: "delivered", attempt: 2 });
});

it.each([
  { kind: "probe", probe: 1_000, after: null },
  { kind: "drain", after: null, pageSize: 50, repeat: true },
  { kind: "warn", since: 1_000 },
] as const)(
  "an outage that lasts longer than the receives of a message postpones a $kind task of an endpoint",
  async (task) => {
    const body = encodeEndpointTask({ ...task, tenant: outage.tenant, endpointId: outage.endpoint.id });
    const endpoints = { ...outage.deliverPorts.endpoints, get: () => Promise.reject(kmsFault()) };
    expect(await process(body, { ports: { endpoints }, receives: 5 })).toEqual([]);
    expect(await depth(task.kind === "probe" ? "slowDeliveries" : "deliveries")).toBe(1);
  },
);

it("an outage that lasts longer than the receives of a message postpones nothing that fails for another reason, or whose event is past its retention", async () => {
  const row = await outage.createDelivery(outage.endpoint, "retrying");
  const defect = failingWith(new TypeError("injected"));
  expect(await process(retryBody(row), { ports: defect, receives: 5 })).toHaveLength(1);
  testEnv.advance(7 * DAY);
  expect(await process(retryBody(row), { ports: failingWith(kmsFault()), receives: 5 })).toHaveLength(1);
  expect(await depth("deliveries")).toBe(0);
});

it("an outage that lasts longer than the receives of a message leaves a message whose queue fails, too, to be received again", async () => {
  const { body } = await recordMessage(testEnv, outage.tenant);
  const events = {
    ...openQueue(outage.queues.events, testEnv.sqs),
    send: () => Promise.reject(new Error("injected")),
  };
  expect(await process(body, { ports: { ...failingWith(kmsFault()), events }, receives: 5 })).toHaveLength(1);
});
