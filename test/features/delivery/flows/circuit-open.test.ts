import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { counterStore } from "#features/stats/store.ts";
import { buryMessages } from "../../../support/flows/dead-letters.ts";
import { advanceToWholeSecond, type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { invokeWorker, receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { countedMetrics } from "../../../support/metering/counted-metrics.ts";
import { openedOnce } from "../../../support/opened.ts";

let outage: Outage;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  advanceToWholeSecond(testEnv);
  outage = await openOutage(testEnv);
});

it("an endpoint that fails ten times in a row is called nine times without a pause; the tenth failure opens the circuit", async () => {
  outage.respondWith(500);
  await outage.write(9);
  await outage.drainQueues();
  expect(await outage.breaker()).toMatchObject({ failures: 9, openUntil: null, failedSince: 9 });
  await outage.write(1);
  await outage.drainQueues();
  expect(await outage.breaker()).toMatchObject({ failures: 10, openUntil: testEnv.now() + MINUTE });
  expect(outage.calls()).toHaveLength(10);
  await outage.write(5);
  await outage.drainQueues();
  expect(outage.calls()).toEqual([]);
});

it("an endpoint that fails ten times in a row starts a new count after a success in between", async () => {
  outage.respondWith(500);
  await outage.write(9);
  await outage.drainQueues();
  outage.respondWith(200);
  await outage.write(1);
  await outage.drainQueues();
  expect(await outage.breaker()).toMatchObject({ failures: 0, failingSince: null, failedSince: 0 });
  outage.respondWith(500);
  await outage.write(9);
  await outage.drainQueues();
  expect(await outage.breaker()).toMatchObject({ failures: 9, openUntil: null });
});

it("an endpoint that fails ten times in a row has its failures counted across batches and processes", async () => {
  outage.respondWith(500);
  for (let i = 0; i < 5; i++) {
    await outage.write(1);
    await outage.drainQueues();
    testEnv.advance(5 * SECOND);
    await outage.drainQueues();
  }
  expect((await outage.breaker()).openUntil).toBe(testEnv.now() + MINUTE);
});

it("while the circuit is open, new events wait as retrying, with no attempt spent and no retry time", async () => {
  await outage.openCircuit();
  const [newUlid = ""] = await outage.write(1);
  await outage.drainQueues();
  const row = await outage.row(outage.endpoint, newUlid);
  expect(row).toMatchObject({ status: "retrying", attempt: 0, nextRetryAt: null, lastError: null });
});

it("while the circuit is open, due retries are not claimed: their rows wait unchanged", async () => {
  const { ulids } = await outage.openCircuit();
  testEnv.advance(30 * SECOND);
  await outage.drainQueues();
  expect(outage.calls()).toEqual([]);
  const rows = await outage.rows(outage.endpoint);
  expect(rows.map(({ eventUlid }) => eventUlid).sort()).toEqual(ulids.sort());
  expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(Array(10).fill(["retrying", 1]));
});

it("while the circuit is open, a probe sends one delivery in turn after 1, 2, 4, 8, 16, 30 and 30 minutes, without an attempt", async () => {
  const { ulids } = await outage.openCircuit();
  const startedAt = testEnv.now();
  testEnv.advance(5);
  const [eleventh = ""] = await outage.write(1);
  await outage.drainQueues();
  const due = await outage.runProbes(7);
  const minutes = due.map((at, i) => Math.round((at - (due[i - 1] ?? startedAt)) / MINUTE));
  expect(minutes).toEqual([1, 2, 4, 8, 16, 30, 30]);
  const probes = outage.calls();
  expect(probes.map(({ at }) => at)).toEqual(due);
  expect(probes.map(({ event }) => event)).toEqual([...ulids].sort().slice(0, 7));
  const rows = await outage.rows(outage.endpoint);
  expect(rows.map(({ status }) => status)).toEqual(Array(11).fill("retrying"));
  expect(rows.map(({ attempt }) => attempt)).toEqual([0, ...Array(10).fill(1)]);
  expect(rows[0]?.eventUlid).toBe(eleventh);
});

it("while the circuit is open, probes send the deliveries in turn, then start over, for as long as a day", async () => {
  await outage.openCircuit();
  const due = await outage.runProbes(50);
  expect((due.at(-1) ?? 0) - (due[0] ?? 0)).toBeGreaterThan(22 * HOUR);
  const probedEvents = outage.calls().map(({ event }) => event);
  expect(probedEvents).toHaveLength(50);
  expect(new Set(probedEvents.slice(0, 10)).size).toBe(10);
  expect(probedEvents.slice(10, 20)).toEqual(probedEvents.slice(0, 10));
  const rows = await outage.rows(outage.endpoint);
  expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(Array(10).fill(["retrying", 1]));
});

it("while the circuit is open, one delivery that always fails does not keep the others from being probed", async () => {
  const { ulids } = await outage.openCircuit();
  const [poison = ""] = [...ulids].sort();
  outage.respondByEvent((event) => (event === poison ? 500 : 200));
  await outage.runProbes(2);
  await outage.passTime(10 * SECOND, 5 * SECOND);
  const statuses = await outage.statuses();
  expect(ulids.filter((ulid) => statuses[ulid] !== "delivered")).toEqual([poison]);
});

it("while the circuit is open, a delivery whose event has expired becomes dlq when it is probed, and counts", async () => {
  await outage.openCircuit();
  const newUlids = await outage.write(3);
  await outage.drainQueues();
  testEnv.advance(7 * DAY + MINUTE);
  outage.respondWith(200);
  const [young = ""] = await outage.write(1);
  await outage.drainQueues();
  const rows = await Promise.all(newUlids.map((ulid) => outage.row(outage.endpoint, ulid)));
  expect(rows.map((row) => row?.status)).toEqual(["dlq", "dlq", "dlq"]);
  expect(outage.calls().map(({ event }) => event)).toEqual([young]);
  const counts = await counterStore(testEnv.table).window(outage.tenant, testEnv.now());
  expect(counts.forEndpoint(outage.endpoint.id).dlq).toBe(13);
});

it("an endpoint whose circuit is open gets its next event as usual when no delivery waits", async () => {
  const { ulids } = await outage.openCircuit();
  for (const ulid of ulids) {
    await outage.ports.deliveries.abandon(
      outage.tenant,
      { endpointId: outage.endpoint.id, eventUlid: ulid, attempt: 2 },
      testEnv.now(),
    );
  }
  await outage.passTime(2 * MINUTE, 10 * SECOND);
  expect(outage.calls()).toEqual([]);
  expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null, failedSince: 10 });
  const [newUlid = ""] = await outage.write(1);
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, newUlid)).toMatchObject({
    attempt: 1,
    nextRetryAt: testEnv.now() + 5 * SECOND,
  });
});

it("an endpoint whose circuit is open is probed at once when its URL changes, and its earlier failures no longer count", async () => {
  await outage.openCircuit();
  await outage.update(outage.endpoint, { url: `http://127.0.0.1:${outage.receiver.port}/new` });
  await outage.drainQueues();
  expect((await outage.breaker()).failedSince).toBe(0);
  testEnv.advance(6 * SECOND);
  await outage.drainQueues();
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
});

it("an endpoint whose circuit is open has its waiting deliveries blocked when it is paused; active again, it is called at once", async () => {
  await outage.openCircuit();
  await outage.write(3);
  await outage.drainQueues();
  await outage.update(outage.endpoint, { status: "paused" });
  await outage.drainQueues();
  await outage.passTime(2 * MINUTE, 10 * SECOND);
  expect(Object.values(await outage.statuses())).toEqual(Array(13).fill("blocked"));
  expect(outage.calls()).toEqual([]);
  const counts = await counterStore(testEnv.table).window(outage.tenant, testEnv.now());
  expect(counts.forEndpoint(outage.endpoint.id).failed).toBe(13);
  outage.respondWith(200);
  await outage.update(outage.endpoint, { status: "active" });
  const [newUlid = ""] = await outage.write(1);
  await outage.drainQueues();
  expect(await outage.row(outage.endpoint, newUlid)).toMatchObject({ status: "delivered" });
});

it("an endpoint whose circuit is open has its waiting deliveries failed when it is deleted", async () => {
  await outage.openCircuit();
  await outage.write(3);
  await outage.drainQueues();
  await outage.remove(outage.endpoint);
  await outage.runProbes(1);
  await outage.passTime(10 * SECOND, 5 * SECOND);
  expect(Object.values(await outage.statuses())).toEqual(Array(13).fill("failed"));
  expect(outage.calls()).toEqual([]);
});

it("an endpoint whose circuit is open is paused when it responds with 410, and its waiting deliveries are blocked", async () => {
  const { ulids } = await outage.openCircuit();
  outage.respondWith(410);
  await outage.runProbes(1);
  await outage.passTime(10 * SECOND, 5 * SECOND);
  expect(outage.calls()).toHaveLength(1);
  expect((await outage.readEndpoint()).status).toBe("paused");
  const statuses = Object.values(await outage.statuses()).sort();
  expect(statuses).toEqual([...Array(ulids.length - 1).fill("blocked"), "failed"]);
});

it("an endpoint whose circuit is open gets the next event once its probe is overdue; a failure opens the circuit for twice as long", async () => {
  const { openUntil } = await outage.openCircuit();
  // The probe's message is lost.
  testEnv.advance(openUntil - testEnv.now() + 2 * MINUTE);
  await receiveAllMessages(testEnv.eventSource, outage.queues.slowDeliveries);
  await outage.write(1);
  await invokeWorker(testEnv.eventSource, outage.queues.events, outage.worker);
  expect(outage.calls()).toHaveLength(1);
  expect(await outage.breaker()).toMatchObject({ openUntil: testEnv.now() + 2 * MINUTE });
  outage.respondWith(200);
  await outage.passTime(5 * MINUTE, 10 * SECOND);
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
});

it("an endpoint whose circuit is open is probed half an hour later when its probe became a dead letter", async () => {
  const { openUntil } = await outage.openCircuit();
  outage.respondWith(200);
  testEnv.advance(openUntil - testEnv.now());
  const queueMessages = await receiveAllMessages(testEnv.eventSource, outage.queues.slowDeliveries);
  const steps = queueMessages.filter(({ body }) => body.includes('"kind":"probe"'));
  expect(steps).toHaveLength(1);
  await sweepDue(testEnv.sweepPorts(outage.queues), testEnv.now());
  const dead = await testEnv.newQueues();
  await openQueue(dead.slowDeliveries, testEnv.eventSource).send({ body: steps[0]?.body ?? "" });
  expect(await buryMessages(testEnv.deadLetterPorts("SlowDeliveries", dead), testEnv.now())).toBe(1);
  testEnv.advance(29 * MINUTE);
  await sweepDue(testEnv.sweepPorts(outage.queues), testEnv.now());
  testEnv.advance(MINUTE);
  await invokeWorker(testEnv.eventSource, outage.queues.deliveries, outage.worker);
  await outage.drainQueues();
  expect(new Set(Object.values(await outage.statuses()))).toEqual(new Set(["delivered"]));
});

it("a circuit that opens is counted once, and not again by its failing probes", async () => {
  testEnv.lines.length = 0;
  await outage.openCircuit();
  await outage.drainQueues();
  await outage.runProbes(2);
  const opened = countedMetrics(testEnv.lines).flatMap(({ CircuitsOpened = [] }) => CircuitsOpened);
  expect(opened).toEqual([1]);
});
