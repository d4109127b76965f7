import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryId } from "../shared/domain/deliveries.ts";
import { SECOND } from "../shared/kernel/time.ts";
import { besideKeyAndRate, freshWorkspace } from "./bench/scenarios.ts";
import type { Workspace } from "./support/pipeline/workspace.ts";
import { type Cost, type Pipeline, startPipeline } from "./support/pipeline.ts";

// What a tenant does with its endpoints and deliveries, to the unit of docs/table.md.

let pipeline: Pipeline;
let workspace: Workspace;
let endpointId: string;
beforeAll(async () => {
  pipeline = await startPipeline();
  workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  [endpointId = ""] = workspace.endpointIds;
});
afterAll(() => pipeline.close());

const asked = async (method: "GET" | "POST" | "PATCH" | "DELETE", rest: string, body?: object): Promise<Cost> =>
  besideKeyAndRate(
    await pipeline.cost(() => pipeline.call(workspace.liveKey, method, `/v1/webhooks/${endpointId}${rest}`, body)),
  );

/** Deliveries that wait for their second attempt. */
async function failing(count: number): Promise<string[]> {
  pipeline.loopback.answer(500);
  for (let i = 0; i < count; i++) {
    pipeline.turn(SECOND);
    await pipeline.receive(workspace.writes(0));
  }
  await pipeline.ingest();
  await pipeline.deliver();
  pipeline.loopback.answer(200);
  const query = { endpointId, before: null, limit: count, now: pipeline.now() };
  return (await pipeline.stores.deliveries.list(workspace.tenant, query)).rows.map(({ eventUlid }) => eventUlid);
}

async function dead(count: number): Promise<string[]> {
  const ulids = await failing(count);
  for (const ulid of ulids) {
    await pipeline.stores.deliveries.giveUp(workspace.tenant, endpointId, ulid, 1, pipeline.now());
  }
  return ulids;
}

test("an endpoint changed, its secret rotated", async () => {
  expect(await asked("PATCH", "", {})).toEqual({ wcu: 0, rcu: 1, sqs: 0 });
  expect(await asked("PATCH", "", { status: "paused" })).toEqual({ wcu: 4, rcu: 2, sqs: 0 });
  expect(await asked("PATCH", "", { status: "active" })).toEqual({ wcu: 4, rcu: 2, sqs: 0 });
  expect(await asked("POST", "/rotate")).toEqual({ wcu: 4, rcu: 2, sqs: 0 });
});

test("one delivery replayed", async () => {
  const [ulid = ""] = await dead(1);
  expect(await asked("POST", `/deliveries/${deliveryId(ulid, endpointId)}/replay`)).toEqual({
    wcu: 6,
    rcu: 2.5,
    sqs: 1,
  });
});

test("a window of twenty replayed, and what has not come through listed", async () => {
  const from = pipeline.now();
  await dead(20);
  expect(await asked("GET", "/deliveries/summary")).toEqual({ wcu: 0, rcu: 2, sqs: 0 });
  expect(await asked("POST", `/deliveries/replay?from=${from}`)).toEqual({ wcu: 3 * 20 + 1, rcu: 12, sqs: 2 });
});

test("a test event", async () => {
  expect(await asked("POST", "/test")).toEqual({ wcu: 7, rcu: 1, sqs: 1 });
});

test("a receiver that says that it is gone", async () => {
  pipeline.loopback.answer(410);
  pipeline.turn(SECOND);
  await pipeline.receive(workspace.writes(0));
  await pipeline.ingest();
  const cost = await pipeline.cost(() => pipeline.deliver());
  const [row, pausedAndAudited, body, counted] = [2, 4, 1, 1];
  const [announced, told] = [1, 1.5];
  expect(cost).toEqual({ wcu: row + pausedAndAudited + body + counted, rcu: announced + told, sqs: 5 });
});

test("an endpoint deleted", async () => {
  expect(await asked("DELETE", "")).toEqual({ wcu: 4, rcu: 0, sqs: 0 });
});
