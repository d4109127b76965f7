import { beforeAll, expect, test } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { RETRY_DELAYS } from "#base/kernel/limits.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { rescheduleOverdue } from "#features/delivery/flows/sweep/overdue.ts";
import { encodeEndpointTask } from "#features/delivery/queue.ts";
import { deliveryId, waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import { freshWorkspace, withoutKeyAndRate } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import { introduce, type Workspace } from "../support/pipeline/workspace.ts";
import type { Cost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact costs of a tenant's work with endpoints and deliveries, as in docs/design/table-costs.md.

let endpointId: string;
const pipeline = openedOnce(startMeteredPipeline);
const workspace = openedOnce(() => freshWorkspace(pipeline, { endpoints: 1 }));
beforeAll(async () => {
  [endpointId = ""] = workspace.endpointIds;
  await introduce(pipeline, workspace, 1);
});

const requestCost = async (method: "GET" | "POST" | "PATCH" | "DELETE", rest: string, body?: object): Promise<Cost> =>
  withoutKeyAndRate(
    await pipeline.cost(() => pipeline.call(workspace.liveKey, method, `/v1/webhooks/${endpointId}${rest}`, body)),
  );

/** Deliveries that wait for their second attempt. */
async function createFailingDeliveries(count: number): Promise<string[]> {
  pipeline.loopback.respondWith(500);
  for (let i = 0; i < count; i++) {
    pipeline.advance(SECOND);
    await pipeline.receive(workspace.nextWebhook(0));
  }
  await pipeline.ingest();
  await pipeline.deliver();
  pipeline.loopback.respondWith(200);
  const query = { endpointId, before: null, limit: count, now: pipeline.now() };
  return (await pipeline.stores.deliveries.list(workspace.tenant, query)).rows.map(({ eventUlid }) => eventUlid);
}

async function createDeadDeliveries(count: number): Promise<string[]> {
  const ulids = await createFailingDeliveries(count);
  for (const ulid of ulids) {
    await pipeline.stores.deliveries.abandon(
      workspace.tenant,
      { endpointId, eventUlid: ulid, attempt: 1 },
      pipeline.now(),
    );
  }
  return ulids;
}

test("an endpoint's update and the rotation of its secret cost at most four write units each", async () => {
  // Each response counts the deliveries of a day: half a unit.
  expect(await requestCost("PATCH", "", {})).toEqual({ wcu: 0, rcu: 1.5, sqs: 0 });
  expect(await requestCost("PATCH", "", { status: "paused" })).toEqual({ wcu: 4, rcu: 2.5, sqs: 0 });
  expect(await requestCost("PATCH", "", { status: "active" })).toEqual({ wcu: 4, rcu: 2.5, sqs: 0 });
  expect(await requestCost("POST", "/rotate")).toEqual({ wcu: 4, rcu: 2.5, sqs: 0 });
});

test("a first attempt of a slow endpoint costs its deferral, and then its place, its claim, its end and its count", async () => {
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  const [id = ""] = other.endpointIds;
  pipeline.loopback.respondWith(200);
  await introduce(pipeline, other, 1);
  const otherEndpoint = await pipeline.stores.endpoints.get(other.tenant, id);
  if (!otherEndpoint) throw new Error("The endpoint is not there.");
  const slow = { ...otherEndpoint.breaker, slowUntil: pipeline.now() + 5 * MINUTE };
  await pipeline.stores.endpoints.saveBreaker(other.tenant, otherEndpoint, slow, pipeline.now());
  await pipeline.receive(other.nextWebhook(0));
  await pipeline.ingest();
  expect(await pipeline.cost(() => pipeline.deliver())).toEqual({ wcu: 2 + 1, rcu: 1, sqs: 3 });
  const [place, claimed, settled, counted] = [2, 1, 2, 1];
  const retryCost = await pipeline.cost(() => pipeline.retrySlow());
  expect(retryCost).toEqual({ wcu: place + claimed + settled + counted, rcu: 1.5, sqs: 2 });
});

test("each retry of the only event of an endpoint costs its claim, its end and the endpoint's write, with all that belongs to it", async () => {
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  pipeline.loopback.respondWith(500);
  await pipeline.receive(other.nextWebhook(0));
  await pipeline.ingest();
  await pipeline.deliver();
  await pipeline.sweep();
  const [claimed, settled, resting, endpoint, inIndex, counted, warned] = [1, 1, 1, 1, 1, 1, 1];
  const costs: number[] = [];
  for (const wait of RETRY_DELAYS) {
    // A sweep sends it to the queue two minutes ahead.
    pipeline.advance(Math.max(0, wait - 2 * MINUTE));
    await pipeline.sweep();
    pipeline.advance(Math.min(wait, 2 * MINUTE));
    costs.push((await pipeline.cost(() => pipeline.retry())).wcu);
  }
  const [second, ...others] = costs;
  expect(second).toBe(claimed + settled + endpoint);
  expect(others.slice(0, -1)).toEqual(Array(7).fill(claimed + settled + endpoint + resting));
  // The last one: its end is in the index and is counted, and the endpoint's owner is warned.
  expect(others.at(-1)).toBe(claimed + settled + inIndex + endpoint + counted + warned);
  pipeline.loopback.respondWith(200);
});

test("one replayed delivery costs six write units", async () => {
  const [ulid = ""] = await createDeadDeliveries(1);
  await requestCost("GET", "/deliveries");
  expect(await requestCost("POST", `/deliveries/${deliveryId(ulid, endpointId)}/replay`)).toEqual({
    wcu: 6,
    rcu: 2.5,
    sqs: 1,
  });
});

test("a replayed window of twenty, and a list of undelivered events", async () => {
  const from = pipeline.now();
  await createDeadDeliveries(20);
  expect(await requestCost("GET", "/deliveries/summary")).toEqual({ wcu: 0, rcu: 1.5 + 20 * 0.5, sqs: 0 });
  expect(await requestCost("POST", `/deliveries/replay?from=${from}`)).toEqual({ wcu: 3 * 20 + 2, rcu: 22, sqs: 2 });
});

test("one delivery in detail costs two and a half read units", async () => {
  const [ulid = ""] = await createFailingDeliveries(1);
  // Its attempt is due, so that its endpoint says what it waits for.
  expect(await requestCost("GET", `/deliveries/${deliveryId(ulid, endpointId)}`)).toEqual({ wcu: 0, rcu: 2.5, sqs: 0 });
});

test("a list of deliveries by status or type", async () => {
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  const [id = ""] = other.endpointIds;
  pipeline.loopback.respondWith(200);
  for (let event = 0; event < 30; event++) await pipeline.receive(other.nextWebhook(0));
  for (let batch = 0; batch < 3; batch++) {
    await pipeline.ingest();
    await pipeline.deliver();
  }
  const listCost = async (query: string) => {
    const path = `/v1/webhooks/${id}/deliveries?${query}`;
    return withoutKeyAndRate(await pipeline.cost(() => pipeline.call(other.liveKey, "GET", path)));
  };
  // The index of undelivered events has none of them. A type is known by the row alone.
  expect(await listCost("status=dlq,failed")).toEqual({ wcu: 0, rcu: 0.5, sqs: 0 });
  expect(await listCost("event_type=test.event")).toEqual(await listCost("limit=30"));
});

test("a test event costs seven write units and one read unit", async () => {
  expect(await requestCost("POST", "/test")).toEqual({ wcu: 7, rcu: 1, sqs: 1 });
});

test("a receiver that answers 410 costs the pause of its endpoint, with its audit row and event", async () => {
  // The circuit of the endpoint above is already open.
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  await introduce(pipeline, other, 1);
  pipeline.loopback.respondWith(410);
  pipeline.advance(SECOND);
  await pipeline.receive(other.nextWebhook(0));
  await pipeline.ingest();
  const cost = await pipeline.cost(() => pipeline.deliver());
  const [row, pausedAndAudited, body, counted] = [2, 4, 1, 1];
  const [eventWcu, eventSqs] = [1, 1.5];
  expect(cost).toEqual({ wcu: row + pausedAndAudited + body + counted, rcu: eventWcu + eventSqs, sqs: 6 });
});

test("the deletion of an endpoint costs six write units", async () => {
  expect(await requestCost("DELETE", "")).toEqual({ wcu: 6, rcu: 0, sqs: 0 });
});

/** Events of this many messages, ingested and waiting on the queue. */
async function publishMessages(other: Workspace, count: number): Promise<void> {
  for (let person = 0; person < count; person++) await pipeline.receive(other.nextWebhook(person));
  await pipeline.ingest();
}

test("an endpoint with an open circuit costs two units per waiting event, and nothing for a retry that becomes due", async () => {
  // The rest on the queue from the tests above.
  pipeline.loopback.respondWith(200);
  for (let round = 0; round < 3; round++) {
    pipeline.advance(10 * MINUTE);
    await pipeline.retry();
    await pipeline.retrySlow();
  }
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  await introduce(pipeline, other, 10);
  pipeline.loopback.respondWith(500);
  await publishMessages(other, 10);
  const opening = await pipeline.cost(() => pipeline.deliver());
  const [rows, breaker, retries, probe, queue, counted] = [10 * 2, 1, 10, 1, 2, 1];
  expect(opening).toEqual({ wcu: rows + breaker + counted, rcu: 0.5 + 10 * 0.5, sqs: retries + probe + queue });

  await publishMessages(other, 10);
  // The endpoint is read again, once for the batch.
  const waiting = await pipeline.cost(() => pipeline.deliver());
  expect(waiting).toEqual({ wcu: 10 * 2 + counted, rcu: 0.5 + 10 * 0.5 + 1, sqs: queue });

  pipeline.advance(5 * SECOND);
  expect(await pipeline.cost(() => pipeline.retry())).toEqual({ wcu: 0, rcu: 10, sqs: queue });

  // Claim, row and breaker; the endpoint, the waiting deliveries with five rows, the message; and the next probe.
  pipeline.advance(MINUTE);
  expect(await pipeline.cost(() => pipeline.retrySlow())).toEqual({ wcu: 3, rcu: 1 + 0.5 + 5 * 0.5 + 0.5, sqs: 3 });

  pipeline.loopback.respondWith(200);
  pipeline.advance(2 * MINUTE);
  const closing = await pipeline.cost(async () => {
    await pipeline.retrySlow();
    await pipeline.retry();
  });
  const delivered = await pipeline.stores.deliveries.list(other.tenant, {
    endpointId: other.endpointIds[0] ?? "",
    before: null,
    limit: 50,
    now: pipeline.now(),
  });
  expect(delivered.rows.map(({ status }) => status)).toEqual(Array(20).fill("delivered"));
  // Each of the twenty is claimed and settled; three batches count their deliveries; the circuit closes.
  expect(closing.wcu).toBe(20 * 3 + 3 + 1);
});

test("an endpoint with an open circuit costs no more for the next event when a thousand are waiting", async () => {
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  const [id = ""] = other.endpointIds;
  pipeline.loopback.respondWith(500);
  await publishMessages(other, 10);
  await pipeline.deliver();
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const deliveryTarget = {
          endpointId: id,
          eventUlid: newUlid(pipeline.now()),
          eventType: "test.event",
          source: null,
        } as const;
        await pipeline.stores.deliveries.recordFirst(other.tenant, deliveryTarget, {
          verdict: waitingForEndpoint,
          outcome: null,
          settledAt: pipeline.now(),
        });
      }),
    );
  }
  await publishMessages(other, 10);
  // The endpoint is read again, once for the batch.
  expect(await pipeline.cost(() => pipeline.deliver())).toEqual({ wcu: 10 * 2 + 1, rcu: 0.5 + 10 * 0.5 + 1, sqs: 2 });
});

test("an endpoint with an open circuit costs the daily check a scan of the undelivered rows, and nothing for each row that waits for it", async () => {
  const { waitingDeliveries, endpoints } = pipeline.stores;
  const ports = { waitingDeliveries, endpoints, retries: pipeline.apiPorts.retries, log: () => {} };
  const check = () => pipeline.cost(() => rescheduleOverdue(ports, pipeline.now()));
  // More than a thousand rows of earlier tests, of two endpoints.
  const whileOpen = await check();
  expect(whileOpen.wcu).toBe(0);
  expect(whileOpen.rcu).toBeGreaterThan(16);
  expect(whileOpen.rcu).toBeLessThan(25);
  expect(whileOpen.sqs).toBe(0);
});

test("an endpoint with an open circuit costs one unit for a warning, and five for a pause", async () => {
  const other = await freshWorkspace(pipeline, { endpoints: 1 });
  const [endpointId = ""] = other.endpointIds;
  const { tenant } = other;
  for (const [failedSince, wcu, sqs] of [
    [10, 1, 3],
    // The notice to the owners, and the event's own message.
    [20, 5, 4],
  ] as const) {
    const endpoint = await pipeline.stores.endpoints.get(tenant, endpointId);
    if (!endpoint) throw new Error("The endpoint is not there.");
    const since = pipeline.now() - 6 * DAY;
    const failing = { ...endpoint.breaker, failingSince: since, failedSince };
    await pipeline.stores.endpoints.saveBreaker(tenant, endpoint, failing, pipeline.now());
    const body = encodeEndpointTask({ tenant, endpointId, kind: "warn", since });
    await pipeline.apiPorts.retries.send({ body });
    expect(await pipeline.cost(() => pipeline.retry())).toEqual({ wcu, rcu: 1, sqs });
  }
  expect(await pipeline.stores.endpoints.get(tenant, endpointId)).toMatchObject({ status: "paused" });
});
