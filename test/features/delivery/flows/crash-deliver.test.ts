import { describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { encodeRetry, type RetryMessage } from "#features/delivery/queue.ts";
import { deliveryId, type InitialStatus, waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { counterStore } from "#features/stats/store/counters.ts";
import { updateWebhook } from "#features/webhooks/flows/update.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import type { Receiver } from "../../../base/net/receiver.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import {
  findUnscheduled,
  invokeWithRecord,
  invokeWorker,
  queueDepth,
  receiveAllMessages,
} from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { decodeRetry } from "../../../support/pipeline/deliveries-messages.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

const worker = (queues: TestQueues, webhookClient: WebhookClient) => {
  const ports = testEnv.deliverPorts(queues, webhookClient);
  return deliverWorker(ports, testEnv.now);
};

const listRows = async (tenant: TenantId, endpoint: Endpoint) =>
  (
    await deliveryStore(testEnv.table).list(tenant, {
      endpointId: endpoint.id,
      before: null,
      limit: 100,
      now: testEnv.now(),
    })
  ).rows;

/** Every attempt that waits for an endpoint, on the queue or in a due bucket. */
async function scheduledRetries(queues: TestQueues, endpoint: Endpoint): Promise<RetryMessage[]> {
  const waiting: RetryMessage[] = [];
  for await (const { items } of dueStore(testEnv.table).between(testEnv.now() - HOUR, testEnv.now() + 24 * HOUR)) {
    waiting.push(...items.filter((due) => due.kind === "attempt"));
  }
  testEnv.advance(16 * MINUTE);
  for (const { body } of await receiveAllMessages(testEnv.eventSource, queues.deliveries)) {
    const retry = decodeRetry(body);
    if (retry) waiting.push(retry);
  }
  return waiting.filter(({ endpointId }) => endpointId === endpoint.id);
}

/** Expects at least one request for the endpoint, each with the same event. */
function expectSameEvent(receiver: Receiver, endpoint: Endpoint, eventUlid: string, atLeast: number): void {
  const eventRequests = receiver.requests.filter(
    ({ headers }) => headers["svc-delivery-id"] === deliveryId(eventUlid, endpoint.id),
  );
  expect(eventRequests.length).toBeGreaterThanOrEqual(atLeast);
  for (const { headers, body } of eventRequests) {
    expect(headers["webhook-id"]).toBe(`evt_${eventUlid}`);
    expect(body).toBe(eventRequests[0]?.body);
  }
}

describe("a fan-out", () => {
  it.each(faultPoints)(
    "reaches every endpoint, with one row for each, despite a fault (%s) at any call to AWS",
    async (faultPoint) => {
      const webhookClient = openWebhookClient();
      for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
        const [tenant, queues, receiver] = [newTenant(), await testEnv.newQueues(), await startStatusReceiver()];
        const base = `http://127.0.0.1:${receiver.port}`;
        const healthy = await createEndpointAt(testEnv, queues, tenant, `${base}/200`);
        const failing = await createEndpointAt(testEnv, queues, tenant, `${base}/503`);
        const { message, body } = await recordMessage(testEnv, tenant);
        await openQueue(queues.events, testEnv.eventSource).send({ body });

        const injection = injectFaultAt(testEnv.clients, faultPoint, k);
        await invokeWorker(testEnv.eventSource, queues.events, injection.crashable(worker(queues, webhookClient)));
        injection.remove();
        for (let round = 0; (await queueDepth(testEnv.eventSource, queues.events)) > 0; round++) {
          expect(round).toBeLessThan(4);
          testEnv.advance(31_000);
          await invokeWorker(testEnv.eventSource, queues.events, worker(queues, webhookClient));
        }

        expect(await findUnscheduled(testEnv, queues, tenant)).toEqual([]);
        expectSameEvent(receiver, healthy, message.eventUlid, 1);
        expectSameEvent(receiver, failing, message.eventUlid, 1);
        expect(await listRows(tenant, healthy)).toMatchObject([{ status: "delivered", attempt: 1 }]);
        expect(await listRows(tenant, failing)).toMatchObject([{ status: "retrying", attempt: 1 }]);
        const [next] = await scheduledRetries(queues, failing);
        expect(next).toMatchObject({ tenant, eventUlid: message.eventUlid, attempt: 2 });
        expect(await scheduledRetries(queues, healthy)).toEqual([]);
        if (!injection.reached()) {
          // The calls: endpoints, messages, two secrets, two rows, one retry.
          expect(k).toBeGreaterThanOrEqual(7);
          return;
        }
      }
    },
  );

  it("that completed calls no endpoint when it is repeated", async () => {
    const [tenant, queues, receiver] = [newTenant(), await testEnv.newQueues(), await startStatusReceiver()];
    await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
    await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/410`);
    const { body } = await recordMessage(testEnv, tenant);
    const events = openQueue(queues.events, testEnv.eventSource);
    const webhookClient = openWebhookClient();
    for (let i = 0; i < 3; i++) {
      await events.send({ body: i === 0 ? body : JSON.stringify({ ...JSON.parse(body), repeated: true }) });
      await invokeWorker(testEnv.eventSource, queues.events, worker(queues, webhookClient));
    }
    // The 410 paused its endpoint, and each repetition publishes that again.
    await invokeWorker(testEnv.eventSource, queues.events, worker(queues, webhookClient));
    expect(receiver.requests).toHaveLength(2);
    expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(0);
  });
});

describe("a repeated event whose worker died before it scheduled the next attempt", () => {
  const inAMinute = () => ({ status: "retrying", nextRetryAt: testEnv.now() + MINUTE }) as const;
  async function openUnscheduled(verdict: InitialStatus) {
    const [tenant, queues, receiver] = [newTenant(), await testEnv.newQueues(), await startStatusReceiver()];
    const endpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
    const { message, ref, body } = await recordMessage(testEnv, tenant);
    const { eventUlid } = message;
    const delivery = { endpointId: endpoint.id, eventUlid, eventType: "message.received", source: ref } as const;
    await deliveryStore(testEnv.table).recordFirst(tenant, delivery, {
      verdict,
      outcome: null,
      settledAt: testEnv.now(),
    });
    expect(await findUnscheduled(testEnv, queues, tenant)).toMatchObject([{ eventUlid }]);
    const webhookClient = openWebhookClient();
    const comesAgain = () => invokeWithRecord(worker(queues, webhookClient), body, 2);
    return { tenant, queues, receiver, endpoint, ref, comesAgain };
  }

  it.each([
    { status: "retrying, with a time", verdict: inAMinute },
    { status: "retrying, for its endpoint", verdict: () => waitingForEndpoint },
    { status: "pending", verdict: () => ({ status: "pending" }) as const },
  ])("ends the delivery as failed when its message was taken back ($status)", async ({ verdict }) => {
    const { tenant, queues, receiver, endpoint, ref, comesAgain } = await openUnscheduled(verdict());
    await messageStore(testEnv.table).remove(tenant, ref);
    await comesAgain();
    expect(await listRows(tenant, endpoint)).toMatchObject([{ status: "failed", attempt: 0, nextRetryAt: null }]);
    expect(await findUnscheduled(testEnv, queues, tenant)).toEqual([]);
    expect(receiver.requests).toEqual([]);
    const counts = await counterStore(testEnv.table).window(tenant, testEnv.now());
    expect(counts.forEndpoint(endpoint.id)).toEqual({ delivered: 0, failed: 1, dlq: 0 });
  });

  it("schedules the attempt when the endpoint does not subscribe to the event any more", async () => {
    const { tenant, queues, endpoint, comesAgain } = await openUnscheduled(inAMinute());
    const author = { caller: { kind: "tenant_key", keyId: "k", tenant, scope: "live" }, ip: null } as const;
    const changes = { events: ["message.sent"] } as const;
    const request = { tenant, endpointId: endpoint.id, changes, author, now: testEnv.now() };
    await updateWebhook(testEnv.apiPorts(queues), request);
    await comesAgain();
    expect(await scheduledRetries(queues, endpoint)).toMatchObject([{ attempt: 1 }]);
  });
});

/** A row that waits for attempt number `attempt`, whose message is on the queue. */
async function createWaiting(attempt: number, status: number) {
  const [tenant, queues, receiver] = [newTenant(), await testEnv.newQueues(), await startStatusReceiver()];
  const endpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/${status}`);
  const { message, ref } = await recordMessage(testEnv, tenant);
  const store = deliveryStore(testEnv.table);
  const target = { endpointId: endpoint.id, eventUlid: message.eventUlid, eventType: "message.received" as const };
  const verdict = { status: "retrying", nextRetryAt: testEnv.now() } as const;
  const busy = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
  await store.recordFirst(tenant, { ...target, source: ref }, { verdict, outcome: busy, settledAt: testEnv.now() });
  for (let attemptNumber = 2; attemptNumber < attempt; attemptNumber++) {
    const claim = await store.claimDelivery(
      tenant,
      { endpointId: endpoint.id, eventUlid: message.eventUlid, attempt: attemptNumber },
      testEnv.now(),
    );
    if (claim.outcome !== "claimed") throw new Error("The row could not be claimed for its attempt.");
    await store.settleDelivery(tenant, claim.row, { verdict, outcome: busy, settledAt: testEnv.now() });
  }
  const body = encodeRetry({ tenant, endpointId: endpoint.id, eventUlid: message.eventUlid, attempt });
  await openQueue(queues.deliveries, testEnv.eventSource).send({ body });
  return { tenant, queues, receiver, endpoint, eventUlid: message.eventUlid };
}

describe("a retry", () => {
  const kinds = [
    { attempt: 2, status: 503, where: "on the queue" },
    { attempt: 3, status: 503, where: "in a due bucket" },
    { attempt: 2, status: 200, where: "nowhere" },
  ];
  it.each(faultPoints.flatMap((faultPoint) => kinds.map((kind) => ({ faultPoint, ...kind }))))(
    "$attempt with a fault ($faultPoint) at any call to AWS has its next attempt $where after a $status",
    async (kind) => {
      const { faultPoint, attempt, status } = kind;
      const webhookClient = openWebhookClient();
      for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
        const { tenant, queues, receiver, endpoint, eventUlid } = await createWaiting(attempt, status);
        const injection = injectFaultAt(testEnv.clients, faultPoint, k);
        await invokeWorker(testEnv.eventSource, queues.deliveries, injection.crashable(worker(queues, webhookClient)));
        injection.remove();
        // Shorter than the shortest wait that can follow, so that the next attempt itself is not received.
        for (let round = 0; round < 4; round++) {
          testEnv.advance(31_000);
          await invokeWorker(testEnv.eventSource, queues.deliveries, worker(queues, webhookClient));
        }

        const rows = await listRows(tenant, endpoint);
        expect(rows, `call ${k}`).toHaveLength(1);
        expect(rows).toMatchObject([{ attempt, eventUlid, leaseUntil: null }]);
        expect(await findUnscheduled(testEnv, queues, tenant)).toEqual([]);
        const next = await scheduledRetries(queues, endpoint);
        if (status === 200 && rows[0]?.status === "delivered") {
          expect(next).toEqual([]);
        } else {
          // An attempt that died with its worker counts as a failed one.
          expect(rows).toMatchObject([{ status: "retrying" }]);
          expect(new Set(next.map((retry) => retry.attempt))).toEqual(new Set([attempt + 1]));
        }
        expectSameEvent(receiver, endpoint, eventUlid, faultPoint === "lost" ? 1 : 0);
        if (!injection.reached()) {
          // The calls: claim, endpoint, message, secret, row, next attempt.
          expect(k).toBeGreaterThanOrEqual(status === 200 ? 5 : 6);
          expect(rows).toMatchObject([{ status: status === 200 ? "delivered" : "retrying" }]);
          return;
        }
      }
    },
  );
});
