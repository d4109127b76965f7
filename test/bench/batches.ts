import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { openSocket } from "../features/realtime/flows/push/support/open-socket.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import type { FullCost, Pipeline } from "../support/pipeline.ts";
import { freshWorkspace, KEY_AND_RATE, sendReply } from "./scenarios.ts";

// What a message costs in batches of ten, as under load, and of one, as in a small business: everything that is counted,
// from the platform's POST to the receivers of two endpoints and the sockets.

const ENDPOINTS = 2;

interface BatchOptions {
  /** How many messages a worker receives at once. */
  readonly batch: number;
  /** Open sockets of the tenant. Default: none. */
  readonly sockets?: number;
}

async function openBatchWorkspace(pipeline: Pipeline, { batch, sockets = 0 }: BatchOptions): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline, { endpoints: ENDPOINTS });
  for (let socket = 0; socket < sockets; socket++) {
    const { connectionId } = await openSocket(pipeline.table, workspace.tenant, {
      now: pipeline.now(),
      includesConversation: true,
    });
    await pipeline.stores.sockets.markGreeted(workspace.tenant, connectionId, pipeline.now());
  }
  // The endpoints are no younger than the messages: then a repeated event costs one read for each endpoint more.
  pipeline.advance(2 * MINUTE);
  await everyoneWrites(pipeline, workspace, batch);
  await pipeline.push();
  pipeline.advance(SECOND);
  return workspace;
}

/** Ingests, delivers and pushes what was received. */
async function runWorkers(pipeline: Pipeline): Promise<void> {
  await pipeline.ingest();
  await pipeline.deliver();
  await pipeline.push();
}

/** One message of a known person to two endpoints. */
export async function inboundInBatches(pipeline: Pipeline, options: BatchOptions): Promise<FullCost> {
  const workspace = await openBatchWorkspace(pipeline, options);
  const cost = await pipeline.fullCost(async () => {
    for (let person = 0; person < options.batch; person++) await pipeline.receive(workspace.nextWebhook(person));
    await runWorkers(pipeline);
  });
  return share(cost, options.batch);
}

/** One reply through the API to a known person, its delivery to two endpoints, and then its echo. */
export async function replyInBatches(pipeline: Pipeline, options: BatchOptions): Promise<FullCost> {
  const workspace = await openBatchWorkspace(pipeline, options);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  const { batch } = options;
  const cost = await pipeline.fullCost(async () => {
    const messageIds: string[] = [];
    for (let person = 0; person < batch; person++) messageIds.push(await sendReply(pipeline, workspace, person));
    await runWorkers(pipeline);
    pipeline.advance(SECOND);
    for (const [person, messageId] of messageIds.entries())
      await pipeline.receive(workspace.nextWebhook(person, { messageId }));
    await runWorkers(pipeline);
  });
  const { wcu, rcu } = KEY_AND_RATE;
  return share({ ...cost, wcu: cost.wcu - batch * wcu, rcu: cost.rcu - batch * rcu }, batch);
}

function share(cost: FullCost, messages: number): FullCost {
  const each = (units: number) => Math.round((units / messages) * 1_000) / 1_000;
  return {
    wcu: each(cost.wcu),
    rcu: each(cost.rcu),
    sqs: each(cost.sqs),
    objects: each(cost.objects),
    frames: each(cost.frames),
  };
}
