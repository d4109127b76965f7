import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { HOUR, MINUTE } from "../../../../shared/kernel/time.ts";
import type { Poster } from "../../../../shared/net/webhook-client.ts";
import { type RetryMessage, readRetry, writeRetry } from "../../../../shared/queues/messages.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { openPoster } from "../../net/posting.ts";
import type { Receiver } from "../../net/receiver.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut, receiveAll } from "../support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "../support/receivers.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const worker = (lane: Lane, poster: Poster) => {
  const ports = house.deliverPorts(lane, poster);
  return deliverWorker(ports, house.now, (record, after) => ports.retries.postpone(record.receiptHandle, after));
};

const rowsOf = async (tenant: TenantId, endpoint: Endpoint) =>
  (
    await deliveryStore(house.table).list(tenant, {
      endpointId: endpoint.id,
      before: null,
      limit: 100,
      now: house.now(),
    })
  ).rows;

/** Every attempt that waits for an endpoint, on the queue or in a due bucket. */
async function scheduled(lane: Lane, endpoint: Endpoint): Promise<RetryMessage[]> {
  const waiting: RetryMessage[] = [];
  for await (const { items } of dueStore(house.table).between(house.now() - HOUR, house.now() + 24 * HOUR)) {
    waiting.push(...items.filter((due) => due.kind === "attempt"));
  }
  house.turn(16 * MINUTE);
  for (const { body } of await receiveAll(house.eventSource, lane.deliveries)) {
    const retry = readRetry(body);
    if (retry) waiting.push(retry);
  }
  return waiting.filter(({ endpointId }) => endpointId === endpoint.id);
}

/** What a receiver was sent for one endpoint: at least once, and the same event each time. */
function expectSameEvent(receiver: Receiver, endpoint: Endpoint, eventUlid: string, atLeast: number): void {
  const mine = receiver.taken.filter(
    ({ headers }) => headers["svc-delivery-id"] === deliveryId(eventUlid, endpoint.id),
  );
  expect(mine.length).toBeGreaterThanOrEqual(atLeast);
  for (const { headers, body } of mine) {
    expect(headers["webhook-id"]).toBe(`evt_${eventUlid}`);
    expect(body).toBe(mine[0]?.body);
  }
}

describe("a fan-out", () => {
  it.each(strikes)("struck (%s) at any call to AWS reaches every endpoint, with one row for each", async (strike) => {
    const poster = openPoster();
    for (let k = 0; ; k++) {
      const [tenant, lane, receiver] = [newTenant(), await house.newLane(), await statusReceiver()];
      const base = `http://127.0.0.1:${receiver.port}`;
      const healthy = await endpointAt(house, lane, tenant, `${base}/200`);
      const failing = await endpointAt(house, lane, tenant, `${base}/503`);
      const { message, body } = await announce(house, tenant);
      await openQueue(lane.events, house.eventSource).send({ body });

      const struck = strikeAt(house.clients, strike, k);
      await handOut(house.eventSource, lane.events, struck.mortal(worker(lane, poster)));
      struck.end();
      for (let round = 0; (await depth(house.eventSource, lane.events)) > 0; round++) {
        expect(round).toBeLessThan(4);
        house.turn(31_000);
        await handOut(house.eventSource, lane.events, worker(lane, poster));
      }

      expectSameEvent(receiver, healthy, message.eventUlid, 1);
      expectSameEvent(receiver, failing, message.eventUlid, 1);
      expect(await rowsOf(tenant, healthy)).toMatchObject([{ status: "delivered", attempt: 1 }]);
      expect(await rowsOf(tenant, failing)).toMatchObject([{ status: "retrying", attempt: 1 }]);
      const [next] = await scheduled(lane, failing);
      expect(next).toMatchObject({ tenant, eventUlid: message.eventUlid, attempt: 2 });
      expect(await scheduled(lane, healthy)).toEqual([]);
      if (!struck.reached()) {
        // Endpoints, messages, two secrets, two rows, one retry.
        expect(k).toBeGreaterThanOrEqual(7);
        return;
      }
    }
  });

  it("repeated after all went well calls nobody again", async () => {
    const [tenant, lane, receiver] = [newTenant(), await house.newLane(), await statusReceiver()];
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`);
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/410`);
    const { body } = await announce(house, tenant);
    const events = openQueue(lane.events, house.eventSource);
    const poster = openPoster();
    for (let i = 0; i < 3; i++) {
      await events.send({ body: i === 0 ? body : JSON.stringify({ ...JSON.parse(body), r: 1 }) });
      await handOut(house.eventSource, lane.events, worker(lane, poster));
    }
    // The 410 paused its endpoint, and each time that is told again.
    await handOut(house.eventSource, lane.events, worker(lane, poster));
    expect(receiver.taken).toHaveLength(2);
    expect(await depth(house.eventSource, lane.events)).toBe(0);
  });
});

/** A row that waits for its attempt `attempt`, whose message is on the queue. */
async function waitingFor(attempt: number, status: number) {
  const [tenant, lane, receiver] = [newTenant(), await house.newLane(), await statusReceiver()];
  const endpoint = await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/${status}`);
  const { message, ref } = await announce(house, tenant);
  const store = deliveryStore(house.table);
  const of = { endpointId: endpoint.id, eventUlid: message.eventUlid, eventType: "message.received" as const };
  const verdict = { status: "retrying", nextRetryAt: house.now() } as const;
  const busy = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
  await store.recordFirst(tenant, { ...of, source: ref }, verdict, busy, house.now());
  for (let made = 2; made < attempt; made++) {
    const claim = await store.claim(tenant, endpoint.id, message.eventUlid, made, house.now());
    if (claim.outcome !== "claimed") throw new Error("The row could not be brought to its attempt.");
    await store.settle(tenant, claim.row, verdict, busy, house.now());
  }
  const body = writeRetry({ tenant, endpointId: endpoint.id, eventUlid: message.eventUlid, attempt });
  await openQueue(lane.deliveries, house.eventSource).send({ body });
  return { tenant, lane, receiver, endpoint, eventUlid: message.eventUlid };
}

describe("a retry", () => {
  const kinds = [
    { attempt: 2, status: 503, where: "on the queue" },
    { attempt: 3, status: 503, where: "in a due bucket" },
    { attempt: 2, status: 200, where: "nowhere" },
  ];
  it.each(strikes.flatMap((strike) => kinds.map((kind) => ({ strike, ...kind }))))(
    "$attempt struck ($strike) at any call to AWS has its next attempt $where after a $status",
    async (kind) => {
      const { strike, attempt, status } = kind;
      const poster = openPoster();
      for (let k = 0; ; k++) {
        const { tenant, lane, receiver, endpoint, eventUlid } = await waitingFor(attempt, status);
        const struck = strikeAt(house.clients, strike, k);
        await handOut(house.eventSource, lane.deliveries, struck.mortal(worker(lane, poster)));
        struck.end();
        // Less than the shortest wait that can follow, so that the next attempt itself is not handed out.
        for (let round = 0; round < 4; round++) {
          house.turn(31_000);
          await handOut(house.eventSource, lane.deliveries, worker(lane, poster));
        }

        const rows = await rowsOf(tenant, endpoint);
        expect(rows, `call ${k}`).toHaveLength(1);
        expect(rows).toMatchObject([{ attempt, eventUlid, leaseUntil: null }]);
        const next = await scheduled(lane, endpoint);
        if (status === 200 && rows[0]?.status === "delivered") {
          expect(next).toEqual([]);
        } else {
          // An attempt that died with its worker counts as one that failed.
          expect(rows).toMatchObject([{ status: "retrying" }]);
          expect(new Set(next.map((retry) => retry.attempt))).toEqual(new Set([attempt + 1]));
        }
        expectSameEvent(receiver, endpoint, eventUlid, strike === "lost" ? 1 : 0);
        if (!struck.reached()) {
          // Claim, endpoint, message, secret, row; and the next attempt.
          expect(k).toBeGreaterThanOrEqual(status === 200 ? 5 : 6);
          expect(rows).toMatchObject([{ status: status === 200 ? "delivered" : "retrying" }]);
          return;
        }
      }
    },
  );
});
