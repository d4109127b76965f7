import { expect, it } from "vitest";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import type { RetryMessage } from "#features/delivery/queue.ts";
import { deliveryId, type InitialStatus, waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { counterStore } from "#features/stats/store.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import {
  findUnscheduled,
  invokeWithRecord,
  invokeWorker,
  queueDepth,
  receiveAllMessages,
  runUntilEmpty,
} from "../../../support/flows/queue-worker.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";

const testEnv = openedOnce(openTestEnv);

/** A new worker of a fixture. */
const newWorker = ({ queues, deliverPorts }: EndpointFixture) =>
  deliverWorker(testEnv.deliverPorts(queues, deliverPorts.webhookClient), testEnv.now);

/** A fixture with an endpoint for messages at each of these statuses, which its receiver responds with. */
async function openEndpoints(...statuses: number[]) {
  const fixture = await openEndpointFixture(testEnv);
  const endpoints: Endpoint[] = [];
  for (const status of statuses) {
    fixture.respondWith(status, `/${status}`);
    const { endpoint } = await fixture.endpointWith({ path: `/${status}`, events: ["message.received"] });
    endpoints.push(endpoint);
  }
  return { fixture, endpoints: endpoints as [Endpoint, Endpoint] };
}

/** Every attempt that waits for an endpoint, on the queue or in a due bucket. */
async function scheduledRetries({ queues }: EndpointFixture, endpoint: Endpoint): Promise<RetryMessage[]> {
  const waiting: RetryMessage[] = [];
  for await (const { items } of dueStore(testEnv.table).between(testEnv.now() - HOUR, testEnv.now() + 24 * HOUR)) {
    waiting.push(...items.filter((due) => due.kind === "attempt"));
  }
  testEnv.advance(16 * MINUTE);
  const queued = await receiveAllMessages(testEnv.eventSource, queues.deliveries);
  waiting.push(...queued.flatMap(({ body }) => decodeRetry(body) ?? []));
  return waiting.filter(({ endpointId }) => endpointId === endpoint.id);
}

/** Expects at least so many requests for the endpoint, each with the same event. */
function expectSameEvent({ receiver }: EndpointFixture, endpoint: Endpoint, eventUlid: string, atLeast: number): void {
  const delivery = deliveryId(eventUlid, endpoint.id);
  const eventRequests = receiver.requests.filter(({ headers }) => headers["svc-delivery-id"] === delivery);
  expect(eventRequests.length).toBeGreaterThanOrEqual(atLeast);
  for (const { headers, body } of eventRequests) {
    expect(headers["webhook-id"]).toBe(`evt_${eventUlid}`);
    expect(body).toBe(eventRequests[0]?.body);
  }
}

const unscheduled = ({ queues, tenant }: EndpointFixture) => findUnscheduled(testEnv, queues, tenant);

it.each(faultPoints)("a fan-out with a fault (%s) at any call reaches every endpoint once", async (faultPoint) => {
  const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const { fixture, endpoints } = await openEndpoints(200, 503);
    const { tenant, queues } = fixture;
    const [healthy, failing] = endpoints;
    const { eventUlid } = await fixture.publish();
    await strike.invoke(queues.events, newWorker(fixture));
    await runUntilEmpty(testEnv, queues.events, () =>
      invokeWorker(testEnv.eventSource, queues.events, newWorker(fixture)),
    );

    expect(await unscheduled(fixture)).toEqual([]);
    for (const endpoint of endpoints) expectSameEvent(fixture, endpoint, eventUlid, 1);
    expect(await fixture.rows(healthy)).toMatchObject([{ status: "delivered", attempt: 1 }]);
    expect(await fixture.rows(failing)).toMatchObject([{ status: "retrying", attempt: 1 }]);
    const [next] = await scheduledRetries(fixture, failing);
    expect(next).toMatchObject({ tenant, eventUlid, attempt: 2 });
    expect(await scheduledRetries(fixture, healthy)).toEqual([]);
  });
  // The calls: endpoints, messages, two secrets, two rows, one retry.
  expect(calls).toBeGreaterThanOrEqual(7);
});

it("a fan-out that completed calls no endpoint when it is repeated", async () => {
  const { fixture } = await openEndpoints(200, 410);
  const { body } = await fixture.publish();
  const invoke = () => invokeWorker(testEnv.eventSource, fixture.queues.events, fixture.worker);
  await invoke();
  for (let i = 0; i < 2; i++) {
    await fixture.deliverPorts.events.send({ body: JSON.stringify({ ...JSON.parse(body), repeated: true }) });
    await invoke();
  }
  // The 410 paused its endpoint, and each repetition publishes that again.
  await invoke();
  expect(fixture.receiver.requests).toHaveLength(2);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.events)).toBe(0);
});

const inAMinute = () => ({ status: "retrying", nextRetryAt: testEnv.now() + MINUTE }) as const;

/** An event whose worker died before it scheduled the attempt, and which comes again. */
async function openUnscheduled(verdict: InitialStatus) {
  const { fixture, endpoints } = await openEndpoints(200);
  const [endpoint] = endpoints;
  const { message, ref, body } = await recordMessage(testEnv, fixture.tenant);
  const { eventUlid } = message;
  const delivery = { endpointId: endpoint.id, eventUlid, eventType: "message.received", source: ref } as const;
  const settledAt = testEnv.now();
  await fixture.ports.deliveries.recordFirst(fixture.tenant, delivery, { verdict, outcome: null, settledAt });
  expect(await unscheduled(fixture)).toMatchObject([{ eventUlid }]);
  return { fixture, endpoint, ref, comesAgain: () => invokeWithRecord(newWorker(fixture), body, 2) };
}

it.each([
  { status: "retrying, with a time", verdict: inAMinute },
  { status: "retrying, for its endpoint", verdict: () => waitingForEndpoint },
  { status: "pending", verdict: () => ({ status: "pending" }) as const },
])("a repeated event that no attempt is scheduled for fails if it was taken back ($status)", async ({ verdict }) => {
  const { fixture, endpoint, ref, comesAgain } = await openUnscheduled(verdict());
  await fixture.ports.messages.remove(fixture.tenant, ref);
  await comesAgain();
  expect(await fixture.rows(endpoint)).toMatchObject([{ status: "failed", attempt: 0, nextRetryAt: null }]);
  expect(await unscheduled(fixture)).toEqual([]);
  expect(fixture.receiver.requests).toEqual([]);
  const counts = await counterStore(testEnv.table).window(fixture.tenant, testEnv.now());
  expect(counts.forEndpoint(endpoint.id)).toEqual({ delivered: 0, failed: 1, dlq: 0 });
});

it("a repeated event that no attempt is scheduled for gets one although its endpoint unsubscribed since", async () => {
  const { fixture, endpoint, comesAgain } = await openUnscheduled(inAMinute());
  await fixture.update(endpoint, { events: ["message.sent"] });
  await comesAgain();
  expect(await scheduledRetries(fixture, endpoint)).toMatchObject([{ attempt: 1 }]);
});

/** A row that waits for its attempt `attempt`, 2 or more, whose message is on the queue. */
async function createWaiting(attempt: number, status: number) {
  const { fixture, endpoints } = await openEndpoints(status);
  const { deliveries } = fixture.ports;
  const row = await fixture.createDelivery(endpoints[0], "retrying");
  const verdict = { status: "retrying", nextRetryAt: testEnv.now() } as const;
  const outcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
  const delivery = { endpointId: row.endpointId, eventUlid: row.eventUlid };
  for (let earlier = 2; earlier < attempt; earlier++) {
    const claim = await deliveries.claimDelivery(fixture.tenant, { ...delivery, attempt: earlier }, testEnv.now());
    if (claim.outcome !== "claimed") throw new Error("The row could not be claimed for its attempt.");
    await deliveries.settleDelivery(fixture.tenant, claim.row, { verdict, outcome, settledAt: testEnv.now() });
  }
  await fixture.queueAttempt(delivery, attempt);
  return { fixture, endpoint: endpoints[0], eventUlid: row.eventUlid };
}

const kinds = [
  { attempt: 2, status: 503, where: "on the queue" },
  { attempt: 3, status: 503, where: "in a due bucket" },
  { attempt: 2, status: 200, where: "nowhere" },
];
it.each(faultPoints.flatMap((faultPoint) => kinds.map((kind) => ({ faultPoint, ...kind }))))(
  "retry $attempt with a fault ($faultPoint) at any call to AWS has its next attempt $where after a $status",
  async ({ faultPoint, attempt, status }) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const { fixture, endpoint, eventUlid } = await createWaiting(attempt, status);
      const { deliveries } = fixture.queues;
      await strike.invoke(deliveries, newWorker(fixture));
      // Shorter than the shortest wait that can follow, so that the next attempt itself is not received.
      for (let round = 0; round < 4; round++) {
        testEnv.advance(31_000);
        await invokeWorker(testEnv.eventSource, deliveries, newWorker(fixture));
      }

      const rows = await fixture.rows(endpoint);
      expect(rows).toHaveLength(1);
      expect(rows).toMatchObject([{ attempt, eventUlid, leaseUntil: null }]);
      expect(await unscheduled(fixture)).toEqual([]);
      const next = await scheduledRetries(fixture, endpoint);
      if (status === 200 && rows[0]?.status === "delivered") {
        expect(next).toEqual([]);
      } else {
        // An attempt that died with its worker counts as a failed one.
        expect(rows).toMatchObject([{ status: "retrying" }]);
        expect(new Set(next.map((retry) => retry.attempt))).toEqual(new Set([attempt + 1]));
      }
      expectSameEvent(fixture, endpoint, eventUlid, faultPoint === "lost" ? 1 : 0);
      if (!strike.reached()) expect(rows[0]?.status).toBe(status === 200 ? "delivered" : "retrying");
    });
    // The calls: claim, endpoint, message, secret, row, next attempt.
    expect(calls).toBeGreaterThanOrEqual(status === 200 ? 5 : 6);
  },
);
