import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { everyoneWrites, openWorkspace, type Workspace } from "../support/pipeline/workspace.ts";
import type { Cost, Pipeline } from "../support/pipeline.ts";

// The operations that the benchmark reports and the cost tests assert, each measured end to end.

/** The batch size of the queues under load. */
const BATCH = 10;
/** More than a page, so that the page has a cursor. */
const ROWS = 60;

/** The cost of authenticating a key and counting its request. Figures of routes exclude it. */
export const KEY_AND_RATE: Cost = { wcu: 1, rcu: 1, sqs: 0 };

let workspaces = 0;

/** A new workspace for one measurement, with items of the same length as every other workspace's. */
export function freshWorkspace(
  pipeline: Pipeline,
  options: { platform?: PlatformName; endpoints?: number } = {},
): Promise<Workspace> {
  const slug = `shop-${String(++workspaces).padStart(6, "0")}`;
  return openWorkspace(pipeline, {
    slug,
    platform: options.platform ?? "instagram",
    endpoints: options.endpoints ?? 1,
  });
}

/** One message of a batch of ten from known people, from the platform's POST to the receivers. */
export async function inboundMessageCost(
  pipeline: Pipeline,
  options: { platform?: PlatformName; endpoints: number },
): Promise<Cost> {
  const workspace = await freshWorkspace(pipeline, options);
  await everyoneWrites(pipeline, workspace, BATCH);
  const callsBefore = pipeline.loopback.events.length;
  const cost = await pipeline.cost(() => everyoneWrites(pipeline, workspace, BATCH));
  const posts = pipeline.loopback.events.length - callsBefore;
  if (posts !== BATCH * options.endpoints) throw new Error(`${posts} events came for ${BATCH} messages.`);
  return perMessage(cost, BATCH);
}

/** One reply through the API with a cached tenant state, without the delivery of its event. */
export async function replyCost(pipeline: Pipeline, scope: "live" | "test" = "live"): Promise<Cost> {
  const workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 1);
  pipeline.advance(SECOND);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  const cost = await pipeline.cost(() => sendReply(pipeline, workspace, 0, scope));
  return withoutKeyAndRate(cost);
}

/** @returns the platform's message id */
export async function sendReply(
  pipeline: Pipeline,
  workspace: Workspace,
  person: number,
  scope: "live" | "test" = "live",
): Promise<string> {
  pipeline.loopback.nextMessageId(workspace.newMessageId());
  const response = await pipeline.call<{ platform_message_id: string }>(
    scope === "live" ? workspace.liveKey : workspace.testKey,
    "POST",
    "/v1/messages/reply",
    { conversation_id: workspace.conversationIdFor(person), text: "Yes, it leaves today.".padEnd(120, ".") },
  );
  return response.platform_message_id;
}

/** A workspace with 60 conversations in its inbox. */
export async function openFullInbox(pipeline: Pipeline): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline, { endpoints: 1 });
  await everyoneWrites(pipeline, workspace, ROWS);
  return workspace;
}

/** A workspace with 60 messages in its first conversation. */
export async function openLongConversation(pipeline: Pipeline): Promise<Workspace> {
  const workspace = await freshWorkspace(pipeline, { endpoints: 0 });
  await everyoneWrites(pipeline, workspace, 1);
  for (let message = 1; message < ROWS; message++) {
    pipeline.advance(SECOND);
    await pipeline.receive(workspace.nextWebhook(0));
  }
  await pipeline.ingest();
  await pipeline.deliver();
  pipeline.advance(MINUTE);
  return workspace;
}

/** The cost of a GET. Throws unless the response holds a full page of rows. */
export async function pageCost(pipeline: Pipeline, key: string, path: string, list: string, rows = 50): Promise<Cost> {
  let rowCount = 0;
  const cost = await pipeline.cost(async () => {
    const data = await pipeline.call<Record<string, unknown[]>>(key, "GET", path);
    rowCount = data[list]?.length ?? 0;
  });
  if (rowCount !== rows) throw new Error(`${path} answered ${rowCount} ${list} and not ${rows}.`);
  return withoutKeyAndRate(cost);
}

export async function inboxPageCost(pipeline: Pipeline): Promise<Cost> {
  const { liveKey } = await openFullInbox(pipeline);
  return pageCost(pipeline, liveKey, "/v1/conversations", "conversations");
}

export async function detailPageCost(pipeline: Pipeline): Promise<Cost> {
  const workspace = await openLongConversation(pipeline);
  const id = encodeURIComponent(workspace.conversationIdFor(0));
  return pageCost(pipeline, workspace.liveKey, `/v1/conversations/${id}`, "messages");
}

export function withoutKeyAndRate({ wcu, rcu, sqs }: Cost): Cost {
  return { wcu: wcu - KEY_AND_RATE.wcu, rcu: rcu - KEY_AND_RATE.rcu, sqs };
}

export function perMessage(cost: Cost, messages: number): Cost {
  const share = (units: number) => Math.round((units / messages) * 1_000) / 1_000;
  return { wcu: share(cost.wcu), rcu: share(cost.rcu), sqs: share(cost.sqs) };
}
