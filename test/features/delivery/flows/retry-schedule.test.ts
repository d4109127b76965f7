import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { ATTEMPTS_MAX, RETRY_DELAYS } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { counterStore } from "#features/stats/store/counters.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { invokeWorker, queueDepth, receiveBatch } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

let queues: TestQueues;
let tenant: TenantId;
let webhookClient: WebhookClient;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  tenant = newTenant();
  queues = await testEnv.newQueues();
  webhookClient = openWebhookClient();
});

const worker = () => {
  const ports = testEnv.deliverPorts(queues, webhookClient);
  return deliverWorker(ports, testEnv.now);
};
const deliverEvents = () => invokeWorker(testEnv.eventSource, queues.events, worker());
const deliverRetries = () => invokeWorker(testEnv.eventSource, queues.deliveries, worker());

async function publishTo(url: string): Promise<{ endpoint: Endpoint; eventUlid: string }> {
  const endpoint = await createEndpointAt(testEnv, queues, tenant, url);
  const { message, body } = await recordMessage(testEnv, tenant);
  await openQueue(queues.events, testEnv.eventSource).send({ body });
  return { endpoint, eventUlid: message.eventUlid };
}

const readRow = (endpoint: Endpoint, eventUlid: string) =>
  deliveryStore(testEnv.table).get(tenant, endpoint.id, eventUlid);

async function setStatus(endpoint: Endpoint, status: "paused" | "deleted" | "active"): Promise<void> {
  await testEnv.table.client.send(
    new UpdateCommand({
      TableName: testEnv.table.name,
      Key: { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` },
      UpdateExpression: "SET st = :st",
      ExpressionAttributeValues: { ":st": status },
    }),
  );
}

/** Advances the clock to an instant, with sweeps on the way. */
async function advanceTo(at: Millis): Promise<void> {
  while (testEnv.now() < at) {
    await sweepDue(testEnv.sweepPorts(queues), testEnv.now());
    testEnv.advance(Math.min(2 * HOUR, at - testEnv.now()));
  }
}

describe("a receiver that always fails", () => {
  it("is called ten times, each when its wait is over and not a millisecond before; then the row is dlq", async () => {
    const receiver = await startStatusReceiver();
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/500`);
    await deliverEvents();
    for (const [i, wait] of RETRY_DELAYS.entries()) {
      const attempt = i + 1;
      expect(receiver.requests).toHaveLength(attempt);
      const due = testEnv.now() + wait;
      expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "retrying", attempt, nextRetryAt: due });
      // Short waits are delays on the queue, long ones wait in the table.
      expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(wait <= 15 * MINUTE ? 1 : 0);
      await advanceTo(due - 1);
      await sweepDue(testEnv.sweepPorts(queues), testEnv.now());
      await deliverRetries();
      expect(receiver.requests).toHaveLength(attempt);
      testEnv.advance(1);
      // The queue rounds delays up to whole seconds.
      for (let i = 0; i < 2 && receiver.requests.length === attempt; i++) {
        await deliverRetries();
        if (receiver.requests.length === attempt) testEnv.advance(SECOND);
      }
    }
    expect(receiver.requests).toHaveLength(ATTEMPTS_MAX);
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 10, nextRetryAt: null });
    await advanceTo(testEnv.now() + DAY);
    await deliverRetries();
    expect(receiver.requests).toHaveLength(ATTEMPTS_MAX);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([`evt_${eventUlid}`]),
    );
    expect(new Set(receiver.requests.map(({ headers }) => headers["svc-timestamp"])).size).toBe(ATTEMPTS_MAX);
  });

  it("but recovers gets the delivery at its next attempt, and is not called again", async () => {
    let status = 503;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    status = 204;
    testEnv.advance(6 * SECOND);
    await deliverRetries();
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2, lastError: null });
    testEnv.advance(DAY);
    expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(0);
    expect(receiver.requests).toHaveLength(2);
  });

  it("and sends Retry-After is not called for that time", async () => {
    const receiver = await startReceiver((response) => response.writeHead(429, { "retry-after": "3600" }).end());
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ nextRetryAt: testEnv.now() + 60 * MINUTE });
    expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(0);
  });
});

describe("an endpoint that", () => {
  it("responds with 410 fails the delivery at once", async () => {
    const receiver = await startStatusReceiver();
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/410`);
    await deliverEvents();
    expect(await readRow(endpoint, eventUlid)).toMatchObject({
      status: "failed",
      attempt: 1,
      lastResponseStatus: 410,
    });
    expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(0);
  });

  it("is paused gets a row without a call, at the first attempt and at a later one", async () => {
    const receiver = await startStatusReceiver();
    const base = `http://127.0.0.1:${receiver.port}`;
    const pausedFirst = await createEndpointAt(testEnv, queues, tenant, `${base}/200`);
    await setStatus(pausedFirst, "paused");
    const { endpoint, eventUlid } = await publishTo(`${base}/503`);
    await deliverEvents();
    expect(await readRow(pausedFirst, eventUlid)).toMatchObject({ status: "blocked", attempt: 0 });
    await setStatus(endpoint, "paused");
    testEnv.advance(6 * SECOND);
    await deliverRetries();
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "blocked", attempt: 1, nextRetryAt: null });
    expect(receiver.requests.map(({ url }) => url)).toEqual(["/503"]);
  });

  it("was deleted while a retry waited fails without a call, and gets no row for later events", async () => {
    const receiver = await startStatusReceiver();
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/503`);
    await deliverEvents();
    await setStatus(endpoint, "deleted");
    testEnv.advance(6 * SECOND);
    await deliverRetries();
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "failed", lastResponseStatus: null });
    const later = await recordMessage(testEnv, tenant, "later");
    await openQueue(queues.events, testEnv.eventSource).send({ body: later.body });
    await deliverEvents();
    expect(await readRow(endpoint, later.message.eventUlid)).toBeNull();
    expect(receiver.requests).toHaveLength(1);
  });

  it("subscribes to other events does not get this one", async () => {
    const receiver = await startStatusReceiver();
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/200`);
    await testEnv.table.client.send(
      new UpdateCommand({
        TableName: testEnv.table.name,
        Key: { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` },
        UpdateExpression: "SET ev = :ev",
        ExpressionAttributeValues: { ":ev": ["message.sent"] },
      }),
    );
    await deliverEvents();
    expect(await readRow(endpoint, eventUlid)).toBeNull();
    expect(receiver.requests).toEqual([]);
  });
});

describe("two workers with one retry", () => {
  async function hanging() {
    const waiting: (() => unknown)[] = [];
    let first = true;
    const receiver = await startReceiver((response) => {
      if (first) {
        first = false;
        response.writeHead(503).end();
      } else waiting.push(() => response.writableEnded || response.writeHead(200).end());
    });
    onTestFinished(() => {
      for (const answer of waiting) answer();
    });
    const published = await publishTo(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    testEnv.advance(6 * SECOND);
    const slow = deliverRetries();
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
    return { ...published, receiver, slow, answer: () => waiting[0]?.() };
  }

  it("make one attempt while its lease runs: the second message is rescheduled to the lease's end", async () => {
    const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
    testEnv.advance(31 * SECOND);
    const { failed } = await deliverRetries();
    expect(failed).toHaveLength(1);
    expect(testEnv.emulators.sqs.counts.ChangeMessageVisibilityBatch).toBeGreaterThanOrEqual(1);
    testEnv.advance(28 * SECOND);
    expect(await receiveBatch(testEnv.eventSource, queues.deliveries)).toEqual([]);
    answer();
    await slow;
    expect(receiver.requests).toHaveLength(2);
    expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
    testEnv.advance(2 * SECOND);
    await deliverRetries();
    expect(receiver.requests).toHaveLength(2);
    expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(0);
  });

  it("record one outcome after the lease expired: the later one changes nothing", async () => {
    const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
    testEnv.advance(61 * SECOND);
    await deliverRetries();
    const settled = await readRow(endpoint, eventUlid);
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
    expect(await readRow(endpoint, eventUlid)).toEqual(settled);
    expect(receiver.requests).toHaveLength(2);
    expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(1);
  });
});

describe("a retry that no worker could process", () => {
  it("becomes a quarantine row, and its delivery is dlq; a repetition changes nothing", async () => {
    const receiver = await startStatusReceiver();
    const { endpoint, eventUlid } = await publishTo(`http://127.0.0.1:${receiver.port}/503`);
    await deliverEvents();
    testEnv.advance(6 * SECOND);
    const records = await receiveBatch(testEnv.eventSource, queues.deliveries);
    const ports = {
      findSourceQueue: () => "Deliveries" as const,
      tenants: tenantStore(testEnv.table),
      receivedMessages: testEnv.receivedMessages,
      quarantine: quarantineStore(testEnv.table),
      deliveries: deliveryStore(testEnv.table),
      due: dueStore(testEnv.table),
      counters: counterStore(testEnv.table),
      log: () => {},
    };
    for (let i = 0; i < 2; i++) {
      const answer = await deadLettersWorker(ports, testEnv.now)(
        { Records: records },
        { getRemainingTimeInMillis: () => 60_000 },
      );
      expect(answer.batchItemFailures).toEqual([]);
      expect(await readRow(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 1, nextRetryAt: null });
    }
  });
});
