import { expect, it, onTestFinished } from "vitest";
import { ATTEMPTS_MAX, RETRY_DELAYS } from "#base/kernel/limits.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { newTally } from "#features/stats/count.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type Respond, startReceiver } from "../../../base/net/receiver.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWorker, queueDepth, receiveBatch } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { setAttributes } from "../../../support/stores/items.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));

/** Runs a new worker on one batch. */
const deliver = (queue: "events" | "deliveries") => {
  const ports = testEnv.deliverPorts(fixture.queues, fixture.deliverPorts.webhookClient);
  return invokeWorker(testEnv.eventSource, fixture.queues[queue], deliverWorker(ports, testEnv.now));
};
const deliverEvents = () => deliver("events");
const deliverRetries = () => deliver("deliveries");
const queuedRetries = () => queueDepth(testEnv.eventSource, fixture.queues.deliveries);
/** The receiver's calls. */
const calls = () => fixture.receiver.requests;

/** Publishes a message to an endpoint whose receiver responds with this status. */
async function publishTo(status: number) {
  fixture.respondWith(status);
  const { endpoint } = await fixture.endpointWith({ events: ["message.received"] });
  return { endpoint, ...(await fixture.publish()) };
}

/** Publishes one to an endpoint with a receiver of its own. */
async function publishToReceiver(respond: Respond) {
  const receiver = await startReceiver(respond);
  const url = `http://127.0.0.1:${receiver.port}/`;
  const endpoint = await createEndpointAt(testEnv, fixture.queues, fixture.tenant, url);
  return { receiver, endpoint, ...(await fixture.publish()) };
}

/** Changes the stored item of an endpoint, but not what a worker does because of a change. */
const setAttribute = ({ id }: Endpoint, name: "st" | "ev", value: unknown) =>
  setAttributes(testEnv.table, { PK: `T#${fixture.tenant}`, SK: `WH#${id}` }, { [name]: value });

/** Advances the clock to an instant, with sweeps on the way. */
async function advanceTo(at: Millis): Promise<void> {
  while (testEnv.now() < at) {
    await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
    testEnv.advance(Math.min(2 * HOUR, at - testEnv.now()));
  }
}

it("a receiver that always fails is called ten times, each when its wait is over and not a millisecond before; then the row is dlq", async () => {
  const { endpoint, eventUlid } = await publishTo(500);
  await deliverEvents();
  for (const [i, wait] of RETRY_DELAYS.entries()) {
    const attempt = i + 1;
    expect(calls()).toHaveLength(attempt);
    const due = testEnv.now() + wait;
    expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "retrying", attempt, nextRetryAt: due });
    // Short waits are delays on the queue, long ones wait in the table.
    expect(await queuedRetries()).toBe(wait <= 15 * MINUTE ? 1 : 0);
    await advanceTo(due - 1);
    await sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
    await deliverRetries();
    expect(calls()).toHaveLength(attempt);
    testEnv.advance(1);
    // The queue rounds delays up to whole seconds.
    for (let i = 0; i < 2 && calls().length === attempt; i++) {
      await deliverRetries();
      if (calls().length === attempt) testEnv.advance(SECOND);
    }
  }
  expect(calls()).toHaveLength(ATTEMPTS_MAX);
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 10, nextRetryAt: null });
  await advanceTo(testEnv.now() + DAY);
  await deliverRetries();
  expect(calls()).toHaveLength(ATTEMPTS_MAX);
  expect(new Set(calls().map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([`evt_${eventUlid}`]));
  expect(new Set(calls().map(({ headers }) => headers["svc-timestamp"])).size).toBe(ATTEMPTS_MAX);
});

it("a receiver that fails and recovers gets the delivery at its next attempt, and is not called again", async () => {
  const { endpoint, eventUlid } = await publishTo(503);
  await deliverEvents();
  fixture.respondWith(204);
  testEnv.advance(6 * SECOND);
  await deliverRetries();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2, lastError: null });
  testEnv.advance(DAY);
  expect(await queuedRetries()).toBe(0);
  expect(calls()).toHaveLength(2);
});

it("a receiver that fails and sends Retry-After is not called for that time", async () => {
  const { endpoint, eventUlid } = await publishToReceiver((response) =>
    response.writeHead(429, { "retry-after": "3600" }).end(),
  );
  await deliverEvents();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ nextRetryAt: testEnv.now() + 60 * MINUTE });
  expect(await queuedRetries()).toBe(0);
});

it("an endpoint that responds with 410 fails the delivery at once", async () => {
  const { endpoint, eventUlid } = await publishTo(410);
  await deliverEvents();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({
    status: "failed",
    attempt: 1,
    lastResponseStatus: 410,
  });
  expect(await queuedRetries()).toBe(0);
});

it("an endpoint that is paused gets a row without a call, at the first attempt and at a later one", async () => {
  const { endpoint: pausedFirst } = await fixture.endpointWith({ path: "/paused" });
  await setAttribute(pausedFirst, "st", "paused");
  const { endpoint, eventUlid } = await publishTo(503);
  await deliverEvents();
  expect(await fixture.row(pausedFirst, eventUlid)).toMatchObject({ status: "blocked", attempt: 0 });
  await setAttribute(endpoint, "st", "paused");
  testEnv.advance(6 * SECOND);
  await deliverRetries();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "blocked", attempt: 1, nextRetryAt: null });
  expect(calls().map(({ url }) => url)).toEqual(["/in"]);
});

it("an endpoint that was deleted while a retry waited fails without a call, and gets no row for later events", async () => {
  const { endpoint, eventUlid } = await publishTo(503);
  await deliverEvents();
  await setAttribute(endpoint, "st", "deleted");
  testEnv.advance(6 * SECOND);
  await deliverRetries();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "failed", lastResponseStatus: null });
  const later = await fixture.publish();
  await deliverEvents();
  expect(await fixture.row(endpoint, later.eventUlid)).toBeNull();
  expect(calls()).toHaveLength(1);
});

it("an endpoint that subscribes to other events does not get this one", async () => {
  const { endpoint, eventUlid } = await publishTo(200);
  await setAttribute(endpoint, "ev", ["message.sent"]);
  await deliverEvents();
  expect(await fixture.row(endpoint, eventUlid)).toBeNull();
  expect(calls()).toEqual([]);
});

async function hanging() {
  const waiting: (() => unknown)[] = [];
  let first = true;
  const respond: Respond = (response) => {
    if (first) {
      first = false;
      response.writeHead(503).end();
    } else waiting.push(() => response.writableEnded || response.writeHead(200).end());
  };
  onTestFinished(() => {
    for (const answer of waiting) answer();
  });
  const published = await publishToReceiver(respond);
  await deliverEvents();
  testEnv.advance(6 * SECOND);
  const slow = deliverRetries();
  await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
  return { ...published, slow, answer: () => waiting[0]?.() };
}

it("two workers with one retry make one attempt while its lease runs: the second message is rescheduled to the lease's end", async () => {
  const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
  testEnv.advance(31 * SECOND);
  const { failed } = await deliverRetries();
  expect(failed).toHaveLength(1);
  expect(testEnv.emulators.sqs.counts.ChangeMessageVisibilityBatch).toBeGreaterThanOrEqual(1);
  testEnv.advance(28 * SECOND);
  expect(await receiveBatch(testEnv.eventSource, fixture.queues.deliveries)).toEqual([]);
  answer();
  await slow;
  expect(receiver.requests).toHaveLength(2);
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
  testEnv.advance(2 * SECOND);
  await deliverRetries();
  expect(receiver.requests).toHaveLength(2);
  expect(await queuedRetries()).toBe(0);
});

it("two workers with one retry record one outcome after the lease expired: the later one changes nothing", async () => {
  const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
  testEnv.advance(61 * SECOND);
  await deliverRetries();
  const settled = await fixture.row(endpoint, eventUlid);
  // No process saw how the attempt ended, so the row names no error and no duration.
  const unknown = { lastError: null, lastResponseStatus: null, lastDurationMs: null };
  expect(settled).toMatchObject({ status: "retrying", attempt: 2, ...unknown });
  const lost = { attempt: 2, at: testEnv.now() - 61 * SECOND, status: null, error: null, durationMs: null };
  expect(settled?.attempts).toMatchObject([lost, { attempt: 1, status: 503 }]);
  const lines = testEnv.lines.filter(({ event }) => event === "delivery.abandoned");
  expect(lines.at(-1)).toMatchObject({
    delivery: deliveryId(eventUlid, endpoint.id),
    error: null,
    duration_ms: null,
  });
  answer();
  await slow;
  expect(await fixture.row(endpoint, eventUlid)).toEqual(settled);
  expect(receiver.requests).toHaveLength(2);
  expect(await queuedRetries()).toBe(1);
});

it("a retry that no worker could process becomes a quarantine row, and its delivery is dlq; a repetition changes nothing", async () => {
  const { endpoint, eventUlid } = await publishTo(503);
  await deliverEvents();
  testEnv.advance(6 * SECOND);
  const [retry] = await receiveBatch(testEnv.eventSource, fixture.queues.deliveries);
  const { messageId, body } = retry ?? expect.unreachable("a retry is queued");
  const letter = { queue: "Deliveries", messageId, body, group: null, receives: 10, sentAt: testEnv.now() } as const;
  for (let i = 0; i < 2; i++) {
    await quarantineDeadLetter(testEnv.deadLetterPorts("Deliveries"), letter, newTally(), testEnv.now());
    expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 1, nextRetryAt: null });
  }
});
