import { beforeEach, expect, it } from "vitest";
import type { QueueMessage } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { drainEndpoint } from "#features/delivery/flows/drain.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import type { EndpointTask } from "#features/delivery/queue.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId, waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import { drainTask } from "#features/delivery/schedule.ts";
import { sendTestEvent } from "#features/webhooks/flows.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { advanceToWholeSecond, type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { findUnscheduled, invokeWithRecord, queueDepth } from "../../../support/flows/queue-worker.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeEndpointTask, decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";

let outage: Outage;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  advanceToWholeSecond(testEnv);
  outage = await openOutage(testEnv);
});

it("an endpoint that works again gets the waiting deliveries page by page, oldest first, and new events at once", async () => {
  const { openUntil } = await outage.openCircuit();
  for (let i = 0; i < 7; i++) {
    testEnv.advance(1);
    await outage.write(10);
    await outage.drainQueues();
  }
  outage.respondWith(200);
  await outage.runProbes(1);
  expect(testEnv.now()).toBe(openUntil);
  expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null, failingSince: null });
  const first = outage.calls();
  const inOrder = Object.keys(await outage.statuses()).sort();
  // The probe, then a page of 50 of the remaining deliveries.
  expect(first).toHaveLength(51);
  expect(first.map(({ event }) => event).sort()).toEqual(inOrder.slice(0, 51));
  const [newUlid = ""] = await outage.write(1);
  await outage.drainQueues();
  expect(outage.calls().map(({ event }) => event)).toEqual([newUlid]);
  await outage.passTime(6 * SECOND, 2 * SECOND);
  expect(outage.calls()).toHaveLength(80 - 51);
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
  await outage.passTime(10 * MINUTE);
  expect(outage.calls()).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, outage.queues.deliveries)).toBe(0);
});

it("an endpoint that works again gets pages of 50, 100, 200, 400 and then 800, five seconds apart, oldest first", async () => {
  const { tenant, endpoint, deliverPorts } = outage;
  const ulids: string[] = [];
  for (let i = 0; i < 2_400; i++) {
    if (i % 10 === 0) testEnv.advance(1);
    const eventUlid = newUlid(testEnv.now());
    const target = { endpointId: endpoint.id, eventUlid, eventType: "message.received", source: null } as const;
    await deliverPorts.deliveries.recordFirst(tenant, target, {
      verdict: waitingForEndpoint,
      outcome: null,
      settledAt: testEnv.now(),
    });
    ulids.push(eventUlid);
  }
  const pages: string[][] = [];
  const tasks: QueueMessage[] = [];
  const retries = {
    ...deliverPorts.retries,
    sendAll: async (messages: readonly QueueMessage[]) => {
      pages.push(messages.map(({ body }) => decodeRetry(body)?.eventUlid ?? ""));
    },
    send: async (message: QueueMessage) => {
      tasks.push(message);
    },
  };
  let task: EndpointTask | null = drainTask(tenant, endpoint.id);
  while (task?.kind === "drain" && task.repeat) {
    await drainEndpoint({ ...deliverPorts, retries }, task, testEnv.now());
    testEnv.advance(5 * SECOND);
    task = decodeEndpointTask(tasks.at(-1)?.body ?? "");
  }
  expect(pages.map(({ length }) => length)).toEqual([50, 100, 200, 400, 800, 800, 50]);
  expect(pages.flat()).toEqual(ulids.toSorted());
  // Then one more page for rows that were written behind the cursor.
  expect(tasks.map(({ delay }) => delay)).toEqual([...Array(6).fill(5 * SECOND), 2 * MINUTE]);
});

it("an endpoint that works again opens its circuit again and loses nothing when it fails while it is drained", async () => {
  await outage.openCircuit();
  await outage.write(60);
  await outage.drainQueues();
  let answerCount = 0;
  outage.respondByEvent(() => (answerCount++ < 5 ? 200 : 500));
  await outage.runProbes(1);
  await outage.passTime(20 * SECOND, 5 * SECOND);
  expect((await outage.breaker()).openUntil).toBeGreaterThan(testEnv.now());
  const statuses = Object.values(await outage.statuses());
  expect(statuses.filter((status) => status === "delivered")).toHaveLength(5);
  expect(statuses.filter((status) => status === "retrying")).toHaveLength(65);
  outage.respondByEvent(() => 200);
  await outage.runProbes(1);
  await outage.passTime(10 * MINUTE);
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
});

it("an endpoint that works again closes its circuit at any success: a test event is sent at once and starts the drain", async () => {
  await outage.openCircuit();
  outage.respondWith(200);
  const sent = await outage.sendTest(outage.endpoint);
  expect(isRefusal(sent)).toBe(false);
  await outage.drainQueues();
  expect((await outage.breaker()).openUntil).toBeNull();
  testEnv.advance(6 * SECOND);
  await outage.drainQueues();
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
});

it("an endpoint that works again closes its circuit at a successful replay", async () => {
  const { ulids } = await outage.openCircuit();
  const [one = ""] = ulids;
  await outage.ports.deliveries.abandon(
    outage.tenant,
    { endpointId: outage.endpoint.id, eventUlid: one, attempt: 2 },
    testEnv.now(),
  );
  outage.respondWith(200);
  const request = { endpointId: outage.endpoint.id, deliveryId: deliveryId(one, outage.endpoint.id), force: false };
  await replayDelivery(outage.ports, outage.tenant, { ...request, author: outage.by }, testEnv.now());
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, one)).toMatchObject({ status: "delivered" });
  expect((await outage.breaker()).openUntil).toBeNull();
});

it("an endpoint that works again gets within minutes a delivery that a worker stored as waiting because it read an open circuit", async () => {
  await outage.openCircuit();
  outage.respondWith(200);
  await outage.runProbes(1);
  await outage.passTime(10 * SECOND, 5 * SECOND);
  expect((await outage.breaker()).openUntil).toBeNull();
  const { message, ref } = await recordMessage(testEnv, outage.tenant, "late");
  const late = {
    endpointId: outage.endpoint.id,
    eventUlid: message.eventUlid,
    eventType: "message.received",
  } as const;
  const waiting = { status: "retrying", nextRetryAt: null } as const;
  await outage.ports.deliveries.recordFirst(
    outage.tenant,
    { ...late, source: ref },
    { verdict: waiting, outcome: null, settledAt: testEnv.now() },
  );
  await outage.passTime(3 * MINUTE, 10 * SECOND);
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
});

/**
 * A test event closes the circuit, 16 minutes before the next probe, and both drains run.
 * @returns the endpoint as it was while its circuit was open
 */
async function closeAndDrain(): Promise<Endpoint> {
  await outage.openCircuit();
  await outage.runProbes(4);
  const whileOpen = await outage.readEndpoint();
  outage.respondWith(200);
  const { tenant, endpoint, by: actor } = outage;
  await sendTestEvent(outage.ports, { tenant, endpointId: endpoint.id, author: actor, now: testEnv.now() });
  await outage.passTime(5 * MINUTE, 30 * SECOND);
  expect((await outage.breaker()).openUntil).toBeNull();
  return whileOpen;
}
const runWorker = (ports: Parameters<typeof deliverWorker>[0], body: string) =>
  invokeWithRecord(deliverWorker(ports, testEnv.now), body);

it("a delivery that is stored as waiting after the circuit has closed and both drains have run is scheduled at once when its worker was frozen in between", async () => {
  const { message, body } = await recordMessage(testEnv, outage.tenant, "frozen");
  await outage.openCircuit();
  const frozen = outage.deliverPorts;
  const recordFirst: DeliverPorts["deliveries"]["recordFirst"] = async (...values) => {
    outage.respondWith(200);
    await outage.runProbes(1);
    await outage.passTime(5 * MINUTE, 30 * SECOND);
    return frozen.deliveries.recordFirst(...values);
  };
  await runWorker({ ...frozen, deliveries: { ...frozen.deliveries, recordFirst } }, body);
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "retrying" });
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
  expect(await findUnscheduled(testEnv, outage.queues, outage.tenant)).toEqual([]);
});

it("a delivery that is stored as waiting after the circuit has closed and both drains have run is attempted at once when its worker read an old copy of the endpoint", async () => {
  const whileOpen = await closeAndDrain();
  const { message, body } = await recordMessage(testEnv, outage.tenant, "stale");
  const { deliverPorts } = outage;
  const listWithSockets = async () => ({ endpoints: [whileOpen], socketsUntil: null });
  await runWorker({ ...deliverPorts, endpoints: { ...deliverPorts.endpoints, listWithSockets } }, body);
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
  expect(await findUnscheduled(testEnv, outage.queues, outage.tenant)).toEqual([]);
});

it("a delivery that is stored as waiting after the circuit has closed and both drains have run is scheduled when its event comes again, because its worker died", async () => {
  await closeAndDrain();
  // The probe that was due sends one more drain.
  await outage.passTime(20 * MINUTE);
  const { message, ref, body } = await recordMessage(testEnv, outage.tenant, "died");
  const delivery = { endpointId: outage.endpoint.id, eventUlid: message.eventUlid, source: ref };
  await outage.ports.deliveries.recordFirst(
    outage.tenant,
    { ...delivery, eventType: "message.received" },
    { verdict: waitingForEndpoint, outcome: null, settledAt: testEnv.now() },
  );
  expect(await findUnscheduled(testEnv, outage.queues, outage.tenant)).toMatchObject([
    { eventUlid: message.eventUlid },
  ]);
  await runWorker(outage.deliverPorts, JSON.stringify({ ...JSON.parse(body), repeated: true }));
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, message.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
});
