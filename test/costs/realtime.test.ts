import { expect, test } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { freshWorkspace, perMessage } from "../bench/scenarios.ts";
import { openSocket } from "../features/realtime/flows/push/support/open-socket.ts";
import { openedOnce } from "../support/opened.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import type { Cost } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// What the realtime stream adds to the cost of a message, as docs/design/table-costs.md shows it.

const pipeline = openedOnce(startMeteredPipeline);

/** The cost of messages of different people: intake, ingest, delivery, and what is pushed. */
async function messagesCost(workspace: Workspace, messages: number): Promise<Cost> {
  await everyoneWrites(pipeline, workspace, messages);
  await pipeline.push();
  pipeline.advance(SECOND);
  pipeline.frames.splice(0);
  const cost = await pipeline.cost(async () => {
    for (let person = 0; person < messages; person++) await pipeline.receive(workspace.nextWebhook(person));
    await pipeline.ingest();
    await pipeline.deliver();
    await pipeline.push();
  });
  return perMessage(cost, messages);
}

async function withSocket(sockets = 1): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline);
  for (let i = 0; i < sockets; i++) {
    const { connectionId } = await openSocket(pipeline.table, workspace.tenant, { now: pipeline.now() });
    await pipeline.stores.sockets.markGreeted(workspace.tenant, connectionId, pipeline.now());
  }
  return workspace;
}

const base = { wcu: 7.2, rcu: 1.05, sqs: 1.5 };

test("one inbound message of a batch of ten of a tenant without sockets costs what it costs without a stream", async () => {
  expect(await messagesCost(await freshWorkspace(pipeline), 10)).toEqual(base);
  expect(pipeline.frames).toEqual([]);
});

test.each([1, 20])(
  "one inbound message of a batch of ten of a tenant with %i sockets reads the sockets once and each conversation at half the price",
  async (sockets) => {
    const cost = await messagesCost(await withSocket(sockets), 10);
    // The message to the push worker is sent, received and deleted once for ten events.
    expect(cost).toEqual({ wcu: 7.2, rcu: base.rcu + 0.5 + 0.05, sqs: base.sqs + 0.3 });
    expect(pipeline.frames).toHaveLength(20 * sockets);
  },
);

test("one of a hundred messages adds a tenth of a send and a fiftieth of a receive", async () => {
  const { wcu, rcu, sqs } = await messagesCost(await withSocket(), 100);
  expect({ wcu, rcu }).toEqual({ wcu: 7.2, rcu: expect.closeTo(base.rcu + 0.5 + 0.005, 2) });
  expect(sqs - base.sqs).toBeLessThanOrEqual(0.2);
});
