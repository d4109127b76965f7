import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { ATTEMPTS_MAX, RETRY_WAITS } from "../../../../shared/domain/limits.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import type { Poster } from "../../../../shared/net/webhook-client.ts";
import { quarantineStore } from "../../../../shared/stores/dead-letters/quarantine.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { openPoster } from "../../net/posting.ts";
import { startReceiver } from "../../net/receiver.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut, receive } from "../support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "../support/receivers.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let poster: Poster;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  tenant = newTenant();
  lane = await house.newLane();
  poster = openPoster();
});

const worker = () => {
  const ports = house.deliverPorts(lane, poster);
  return deliverWorker(ports, house.now, (record, after) => ports.retries.postpone(record.receiptHandle, after));
};
const deliverEvents = () => handOut(house.eventSource, lane.events, worker());
const deliverRetries = () => handOut(house.eventSource, lane.deliveries, worker());

async function announced(url: string): Promise<{ endpoint: Endpoint; eventUlid: string }> {
  const endpoint = await endpointAt(house, lane, tenant, url);
  const { message, body } = await announce(house, tenant);
  await openQueue(lane.events, house.eventSource).send({ body });
  return { endpoint, eventUlid: message.eventUlid };
}

const rowOf = (endpoint: Endpoint, eventUlid: string) => deliveryStore(house.table).get(tenant, endpoint.id, eventUlid);

async function turnStatus(endpoint: Endpoint, status: "paused" | "deleted" | "active"): Promise<void> {
  await house.table.client.send(
    new UpdateCommand({
      TableName: house.table.name,
      Key: { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` },
      UpdateExpression: "SET st = :st",
      ExpressionAttributeValues: { ":st": status },
    }),
  );
}

/** Turns the clock to an instant, with sweeps on the way. */
async function turnTo(at: Millis): Promise<void> {
  while (house.now() < at) {
    await sweepDue(house.sweepPorts(lane), house.now());
    house.turn(Math.min(2 * HOUR, at - house.now()));
  }
}

describe("a receiver that never answers well", () => {
  it("is called ten times, each when its wait is over and not a millisecond before; then the row says dlq", async () => {
    const receiver = await statusReceiver();
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/500`);
    await deliverEvents();
    for (const [i, wait] of RETRY_WAITS.entries()) {
      const attempt = i + 1;
      expect(receiver.taken).toHaveLength(attempt);
      const due = house.now() + wait;
      expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "retrying", attempt, nextRetryAt: due });
      // Short waits ride on the queue, long ones rest in the table.
      expect(await depth(house.eventSource, lane.deliveries)).toBe(wait <= 15 * MINUTE ? 1 : 0);
      await turnTo(due - 1);
      await sweepDue(house.sweepPorts(lane), house.now());
      await deliverRetries();
      expect(receiver.taken).toHaveLength(attempt);
      house.turn(1);
      // The queue holds back to whole seconds, upwards.
      for (let i = 0; i < 2 && receiver.taken.length === attempt; i++) {
        await deliverRetries();
        if (receiver.taken.length === attempt) house.turn(SECOND);
      }
    }
    expect(receiver.taken).toHaveLength(ATTEMPTS_MAX);
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 10, nextRetryAt: null });
    await turnTo(house.now() + DAY);
    await deliverRetries();
    expect(receiver.taken).toHaveLength(ATTEMPTS_MAX);
    expect(new Set(receiver.taken.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([`evt_${eventUlid}`]));
    expect(new Set(receiver.taken.map(({ headers }) => headers["svc-timestamp"])).size).toBe(ATTEMPTS_MAX);
  });

  it("but recovers is delivered at its next attempt, and called no more", async () => {
    let status = 503;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    status = 204;
    house.turn(6 * SECOND);
    await deliverRetries();
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2, lastError: null });
    house.turn(DAY);
    expect(await depth(house.eventSource, lane.deliveries)).toBe(0);
    expect(receiver.taken).toHaveLength(2);
  });

  it("and asks to wait is left alone for as long", async () => {
    const receiver = await startReceiver((response) => response.writeHead(429, { "retry-after": "3600" }).end());
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ nextRetryAt: house.now() + 60 * MINUTE });
    expect(await depth(house.eventSource, lane.deliveries)).toBe(0);
  });
});

describe("an endpoint that", () => {
  it("answers 410 fails the delivery at once", async () => {
    const receiver = await statusReceiver();
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/410`);
    await deliverEvents();
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({
      status: "failed",
      attempt: 1,
      lastResponseStatus: 410,
    });
    expect(await depth(house.eventSource, lane.deliveries)).toBe(0);
  });

  it("is paused gets its row without a call, at the first attempt and at a later one", async () => {
    const receiver = await statusReceiver();
    const base = `http://127.0.0.1:${receiver.port}`;
    const pausedFirst = await endpointAt(house, lane, tenant, `${base}/200`);
    await turnStatus(pausedFirst, "paused");
    const { endpoint, eventUlid } = await announced(`${base}/503`);
    await deliverEvents();
    expect(await rowOf(pausedFirst, eventUlid)).toMatchObject({ status: "blocked", attempt: 0 });
    await turnStatus(endpoint, "paused");
    house.turn(6 * SECOND);
    await deliverRetries();
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "blocked", attempt: 1, nextRetryAt: null });
    expect(receiver.taken.map(({ url }) => url)).toEqual(["/503"]);
  });

  it("was deleted while a retry waited fails without a call, and gets no row for later events", async () => {
    const receiver = await statusReceiver();
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/503`);
    await deliverEvents();
    await turnStatus(endpoint, "deleted");
    house.turn(6 * SECOND);
    await deliverRetries();
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "failed", lastResponseStatus: null });
    const later = await announce(house, tenant, "later");
    await openQueue(lane.events, house.eventSource).send({ body: later.body });
    await deliverEvents();
    expect(await rowOf(endpoint, later.message.eventUlid)).toBeNull();
    expect(receiver.taken).toHaveLength(1);
  });

  it("asked for other events gets none of this one", async () => {
    const receiver = await statusReceiver();
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/200`);
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` },
        UpdateExpression: "SET ev = :ev",
        ExpressionAttributeValues: { ":ev": ["message.sent"] },
      }),
    );
    await deliverEvents();
    expect(await rowOf(endpoint, eventUlid)).toBeNull();
    expect(receiver.taken).toEqual([]);
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
    const known = await announced(`http://127.0.0.1:${receiver.port}/`);
    await deliverEvents();
    house.turn(6 * SECOND);
    const slow = deliverRetries();
    await expect.poll(() => waiting.length, { interval: 5 }).toBe(1);
    return { ...known, receiver, slow, answer: () => waiting[0]?.() };
  }

  it("make one attempt while its lease runs: the second's message is put off to the lease's end", async () => {
    const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
    house.turn(31 * SECOND);
    const { failed } = await deliverRetries();
    expect(failed).toHaveLength(1);
    expect(house.emulators.sqs.counts.ChangeMessageVisibility).toBeGreaterThanOrEqual(1);
    house.turn(28 * SECOND);
    expect(await receive(house.eventSource, lane.deliveries)).toEqual([]);
    answer();
    await slow;
    expect(receiver.taken).toHaveLength(2);
    expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "delivered", attempt: 2 });
    house.turn(2 * SECOND);
    await deliverRetries();
    expect(receiver.taken).toHaveLength(2);
    expect(await depth(house.eventSource, lane.deliveries)).toBe(0);
  });

  it("record one outcome once the lease ran out: the one that comes too late changes nothing", async () => {
    const { receiver, slow, answer, endpoint, eventUlid } = await hanging();
    house.turn(61 * SECOND);
    await deliverRetries();
    const settled = await rowOf(endpoint, eventUlid);
    expect(settled).toMatchObject({ status: "retrying", attempt: 2, lastError: "timeout" });
    answer();
    await slow;
    expect(await rowOf(endpoint, eventUlid)).toEqual(settled);
    expect(receiver.taken).toHaveLength(2);
    expect(await depth(house.eventSource, lane.deliveries)).toBe(1);
  });
});

describe("a retry that no worker could process", () => {
  it("becomes a quarantine row, and its delivery says dlq; twice is the same as once", async () => {
    const receiver = await statusReceiver();
    const { endpoint, eventUlid } = await announced(`http://127.0.0.1:${receiver.port}/503`);
    await deliverEvents();
    house.turn(6 * SECOND);
    const records = await receive(house.eventSource, lane.deliveries);
    const ports = {
      queueBehind: () => "Deliveries" as const,
      quarantine: quarantineStore(house.table),
      deliveries: deliveryStore(house.table),
      due: dueStore(house.table),
      counters: counterStore(house.table),
      log: () => {},
    };
    for (let i = 0; i < 2; i++) {
      const answer = await deadLettersWorker(ports, house.now)(
        { Records: records },
        { getRemainingTimeInMillis: () => 60_000 },
      );
      expect(answer.batchItemFailures).toEqual([]);
      expect(await rowOf(endpoint, eventUlid)).toMatchObject({ status: "dlq", attempt: 1, nextRetryAt: null });
    }
  });
});
