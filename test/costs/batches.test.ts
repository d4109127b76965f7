import { expect, test } from "vitest";
import { inboundInBatches, replyInBatches } from "../bench/batches.ts";
import { openedOnce } from "../support/opened.ts";
import type { FullCost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact cost of a message with two endpoints in batches of ten and of one. docs/design/table-costs.md shows the same.

const pipeline = openedOnce(startMeteredPipeline);

test.each<[batch: number, sockets: number, FullCost]>([
  [10, 0, { wcu: 8.2, rcu: 1.05, sqs: 1.5, objects: 0, frames: 0 }],
  [10, 1, { wcu: 8.2, rcu: 1.6, sqs: 1.8, objects: 0, frames: 1 }],
  [1, 0, { wcu: 10, rcu: 1.5, sqs: 6, objects: 0, frames: 0 }],
  [1, 1, { wcu: 10, rcu: 2.5, sqs: 9, objects: 0, frames: 1 }],
])("one inbound message in a batch of %i of a tenant with %i sockets", async (batch, sockets, cost) => {
  expect(await inboundInBatches(pipeline, { batch, sockets })).toEqual(cost);
});

test.each<[batch: number, sockets: number, FullCost]>([
  [10, 0, { wcu: 18.2, rcu: 5.55, sqs: 2.4, objects: 0, frames: 0 }],
  [10, 1, { wcu: 18.2, rcu: 6.1, sqs: 2.7, objects: 0, frames: 1 }],
  [1, 0, { wcu: 20, rcu: 6, sqs: 6, objects: 0, frames: 0 }],
  [1, 1, { wcu: 20, rcu: 7, sqs: 9, objects: 0, frames: 1 }],
])("one reply and its echo in batches of %i of a tenant with %i sockets", async (batch, sockets, cost) => {
  expect(await replyInBatches(pipeline, { batch, sockets })).toEqual(cost);
});
