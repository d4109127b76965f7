import { expect, test } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { SECOND } from "#base/kernel/time.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { contentHash } from "#features/sending/rules/sends.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import type { SignedWebhook } from "../support/pipeline/traffic.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact cost of echoes, in conversations where the person wrote before.

let workspace: Workspace;
const pipeline = openedOnce(startMeteredPipeline);

/** An incoming echo, a second after everything else. */
async function sendAndEcho(platform: "instagram" | "messenger" = "instagram"): Promise<SignedWebhook> {
  workspace = await freshWorkspace(pipeline, { platform });
  await everyoneWrites(pipeline, workspace, 1);
  pipeline.advance(SECOND);
  return workspace.nextWebhook(0, { messageId: workspace.newMessageId() });
}

const rawCopyWcu = 1;

/** What every echo reads: the head, consistently, and its marker. */
const snapshotAndMarkerRcu = 1.5;

/** The table's units for one webhook, without its raw copy and what every echo reads. */
async function echoCost(webhook: SignedWebhook): Promise<{ wcu: number; rcu: number }> {
  await pipeline.receive(webhook);
  const { wcu, rcu } = await pipeline.cost(() => pipeline.ingest());
  return { wcu: wcu - rawCopyWcu, rcu: rcu - snapshotAndMarkerRcu };
}

/** Starts sends with the echo's text. @returns their ids */
async function startSends({ body }: SignedWebhook, sends: number): Promise<string[]> {
  const { text } = JSON.parse(body).entry[0].messaging[0].message;
  const record = { content: contentHash(text, []), via: "api_in_window", actorId: null, holdId: null } as const;
  const ids = Array.from({ length: sends }, () => newUlid(pipeline.now()));
  for (const id of ids) {
    const send = { ...record, id, replyTo: null, scope: "live" } as const;
    await pipeline.stores.sendRecords.start(workspace.conversationIdFor(0), send, pipeline.now());
  }
  return ids;
}

const markerWcu = 1;
const messageAndHeadWcu = 6;

test("an echo of no send of ours costs a message, its marker and one query for recent sends", async () => {
  const webhook = await sendAndEcho();
  expect(await echoCost(webhook)).toEqual({ wcu: markerWcu + messageAndHeadWcu, rcu: 1 });
  expect(await echoCost(webhook)).toEqual({ wcu: 3, rcu: 1 });
});

test("an echo that arrives before the response of its send claims the record for one unit", async () => {
  const webhook = await sendAndEcho();
  await startSends(webhook, 1);
  expect(await echoCost(webhook)).toEqual({ wcu: markerWcu + 1 + messageAndHeadWcu, rcu: 1 });
  expect(await echoCost(webhook)).toEqual({ wcu: 3, rcu: 1 });
});

test("an echo with metadata reads one record, however many sends there were", async () => {
  const webhook = await sendAndEcho("messenger");
  const [, one = ""] = await startSends(webhook, 40);
  const read = () => pipeline.stores.sendRecords.get(workspace.conversationIdFor(0), one);
  expect(await pipeline.cost(read)).toEqual({ wcu: 0, rcu: 1, sqs: 0 });
});

test("the query costs a unit per twelve sends of the last 15 minutes", async () => {
  const webhook = await sendAndEcho();
  const send = async (sends: number) => {
    for (const id of await startSends(webhook, sends)) {
      const answer = { state: "sent", messageId: workspace.newMessageId() } as const;
      await pipeline.stores.sendRecords.settleSend(workspace.conversationIdFor(0), id, answer);
    }
  };
  const find = () => pipeline.stores.sendRecords.startedBetween(workspace.conversationIdFor(0), 0, pipeline.now());
  await send(12);
  expect(await pipeline.cost(find)).toEqual({ wcu: 0, rcu: 1, sqs: 0 });
  await send(1);
  expect(await pipeline.cost(find)).toEqual({ wcu: 0, rcu: 2, sqs: 0 });
});

test("the echo of sent uploads also costs the URLs, in the row and in the feed, and its repetition does not", async () => {
  workspace = await freshWorkspace(pipeline);
  await everyoneWrites(pipeline, workspace, 1);
  const conversationId = workspace.conversationIdFor(0);
  const platformFor = async () => ({ send: async () => ({ kind: "accepted", messageId }) as const });
  const caller = { kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" } as const;
  const echo = { text: undefined, is_echo: true };
  const afterEcho = 3;
  let messageId = "";
  const echoAfterSend = async (content: object, attachments: object[] | undefined) => {
    pipeline.advance(SECOND);
    messageId = workspace.newMessageId();
    const reply = { conversationId, replyTo: null, ...content };
    await sendReply({ ...pipeline.apiPorts, platformFor }, { caller, reply, time: startRequestTime(pipeline.now) });
    const webhook = workspace.nextWebhook(0, { messageId, context: { ...echo, attachments } });
    return [await echoCost(webhook), await echoCost(webhook)];
  };
  const cdn = "https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=18046120357684102&signature=".padEnd(220, "k");
  const media = (count: number) => Array.from({ length: count }, () => ({ type: "image", payload: { url: cdn } }));
  const uploads = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: "image", attachmentId: `${index}` }));
  const repeated = { wcu: afterEcho, rcu: 0 };
  // Without uploads it is the echo of a settled send, whose due item is read.
  const settled = { wcu: 0, rcu: 0.5 };
  expect(await echoAfterSend({ attachments: uploads(1) }, media(1))).toEqual([
    { wcu: afterEcho + 2, rcu: 0 },
    repeated,
  ]);
  expect(await echoAfterSend({ attachments: [{ type: "image", url: cdn }] }, media(1))).toEqual([settled, settled]);
  expect(await echoAfterSend({ text: "Yes." }, undefined)).toEqual([settled, settled]);
});
