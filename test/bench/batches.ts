import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { MessageUsage } from "../../bin/bill/message-price.ts";
import { openSocket } from "../features/realtime/flows/push/support/open-socket.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import type { FullCost, Pipeline, Usage } from "../support/pipeline.ts";
import { freshWorkspace, KEY_AND_RATE, sendReply } from "./scenarios.ts";

// What a message costs in batches of ten, as under load, and of one, as in a small business: everything that is counted,
// from the platform's POST to the receivers and the sockets.

const ENDPOINTS = 2;

interface BatchOptions {
  /** How many messages a worker receives at once. */
  readonly batch: number;
  /** Open sockets of the tenant. Default: none. */
  readonly sockets?: number;
  /** Default: two. */
  readonly endpoints?: number;
}

async function openBatchWorkspace(
  pipeline: Pipeline,
  { batch, sockets = 0, endpoints = ENDPOINTS }: BatchOptions,
): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline, { endpoints });
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

/** The cost of one message, and what AWS bills of all that were measured. */
interface MeasuredMessage {
  readonly cost: FullCost;
  readonly usage: MessageUsage;
}

/** As long as the gateway's id of a request. */
const REQUEST_ID = "JKJaXmPLvHcESHA=";

/** One message of a known person to each endpoint. Default: each message of a batch is of another person. */
export async function measureInbound(
  pipeline: Pipeline,
  { people, ...options }: BatchOptions & { readonly people?: number },
): Promise<MeasuredMessage> {
  const workspace = await openBatchWorkspace(pipeline, options);
  const { batch } = options;
  const usage = await usageOfDeliveries(pipeline, options, async () => {
    for (let message = 0; message < batch; message++) {
      await pipeline.receive(workspace.nextWebhook(message % (people ?? batch)), REQUEST_ID);
    }
    await runWorkers(pipeline);
  });
  return {
    cost: share(usage, batch),
    usage: toMessageUsage(usage, { ...options, replies: 0 }),
  };
}

/** The first message of a person to each endpoint, whose name is found before the event ends its wait for it. */
export async function measureFirst(pipeline: Pipeline, options: BatchOptions): Promise<FullCost> {
  const workspace = await openBatchWorkspace(pipeline, options);
  const { batch } = options;
  const usage = await usageOfDeliveries(pipeline, options, async () => {
    // Those of the workspace have written before.
    for (let person = batch; person < 2 * batch; person++)
      await pipeline.receive(workspace.nextWebhook(person), REQUEST_ID);
    await pipeline.ingest();
    await pipeline.fetchProfiles();
    await pipeline.deliver();
    await pipeline.push();
  });
  return share(usage, batch);
}

/** One reply through the API to a known person, its deliveries, and then its echo. */
export async function measureReply(pipeline: Pipeline, options: BatchOptions): Promise<MeasuredMessage> {
  const workspace = await openBatchWorkspace(pipeline, options);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  const { batch } = options;
  const usage = await usageOfDeliveries(pipeline, options, async () => {
    const messageIds: string[] = [];
    for (let person = 0; person < batch; person++) messageIds.push(await sendReply(pipeline, workspace, person));
    await runWorkers(pipeline);
    pipeline.advance(SECOND);
    for (const [person, messageId] of messageIds.entries())
      await pipeline.receive(workspace.nextWebhook(person, { messageId }), REQUEST_ID);
    await runWorkers(pipeline);
  });
  const { wcu, rcu } = KEY_AND_RATE;
  return {
    cost: share({ ...usage, wcu: usage.wcu - batch * wcu, rcu: usage.rcu - batch * rcu }, batch),
    usage: toMessageUsage(usage, { ...options, replies: batch }),
  };
}

/** What the messages of a batch used. @throws Error unless each was delivered to each endpoint: a lost one costs less */
async function usageOfDeliveries(
  pipeline: Pipeline,
  { batch, endpoints = ENDPOINTS }: BatchOptions,
  run: () => Promise<void>,
): Promise<Usage> {
  const before = pipeline.loopback.events.length;
  const usage = await pipeline.usage(run);
  const deliveries = pipeline.loopback.events.length - before;
  if (deliveries !== batch * endpoints)
    throw new Error(`${deliveries} deliveries arrived, and not ${batch * endpoints}.`);
  return usage;
}

function toMessageUsage(
  usage: Usage,
  { batch: messages, endpoints = ENDPOINTS, replies }: BatchOptions & { readonly replies: number },
): MessageUsage {
  const { invocations } = usage;
  // Of a reply, ingest handles the echo and deliver the event.
  const handled = { Ingest: messages, Deliver: messages, Push: invocations.Push > 0 ? messages : 0 };
  const deliveries = messages * endpoints;
  return { ...usage, messages, replies, handled, deliveries, secrets: { Deliver: endpoints, Api: 1 } };
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
