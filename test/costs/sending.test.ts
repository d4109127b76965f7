import { expect, test } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import type { SendOutcome } from "#platforms/graph/platform.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { openedOnce } from "../support/opened.ts";
import type { Workspace } from "../support/pipeline/workspace.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact costs of failing sends, and of the work beside sends.

let workspace: Workspace;
const pipeline = openedOnce(startMeteredPipeline);

/** A workspace in which the person wrote a minute ago, with its tenant's state cached. */
async function platformAnswering(
  answer: SendOutcome | (() => SendOutcome),
  endpoints = 1,
): Promise<(rest?: object) => Promise<unknown>> {
  workspace = await freshWorkspace(pipeline, { endpoints });
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  pipeline.advance(MINUTE - (pipeline.now() % MINUTE));
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  const platformOf = async () => ({
    send: async () => (typeof answer === "function" ? answer() : answer),
  });
  const caller = { kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" } as const;
  const reply = { conversationId: workspace.conversationIdFor(0), text: "Yes.".padEnd(160, "."), replyTo: null };
  return (rest = {}) =>
    sendReply(
      { ...pipeline.apiPorts, platformFor: platformOf },
      { caller, reply: { ...reply, ...rest }, time: startRequestTime(pipeline.now) },
    );
}

const refusedOutcome = {
  kind: "refused",
  class: "recipient",
  detail: "(#551) This person isn't available right now.",
  code: 551,
  subcode: null,
  accountStatus: null,
  coolDownMs: null,
  humanAgentPauseMs: null,
  humanAgentRefused: false,
  transient: false,
} as const satisfies SendOutcome;
const measureUnits = async (work: () => Promise<unknown>) => {
  const { wcu, rcu, sqs } = await pipeline.cost(work);
  return [wcu, rcu, sqs];
};
/** Due item, transaction of record and counts. */
const startWcu = 1 + 6;
const startRcu = 3;
/** Settled, due item removed, transaction of the event's id and a body over 1 KB that checks the record. */
const failedWcu = 1 + 1 + 2 + 2 + 4;
/** The same with a body up to 1 KB, which a shorter text has. */
const shortFailedWcu = failedWcu - 2;

test("a refused reply is settled, stored with its event, and no longer due", async () => {
  const reply = await platformAnswering(refusedOutcome);
  expect(await measureUnits(reply)).toEqual([startWcu + failedWcu, startRcu, 1]);
  expect(await measureUnits(() => reply({ text: "Yes." }))).toEqual([startWcu + shortFailedWcu, startRcu, 1]);
});

test("a refusal that ends the account's access changes it once; the next reply costs its reads", async () => {
  const reply = await platformAnswering({ ...refusedOutcome, accountStatus: "needs_reauth" });
  expect(await measureUnits(reply)).toEqual([startWcu + failedWcu + 2, startRcu + 1, 3]);
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("a restricted account costs a read and a write with each try, and a reply of an active account none", async () => {
  let outcome: SendOutcome = { ...refusedOutcome, accountStatus: "restricted" };
  const reply = await platformAnswering(() => outcome);
  expect(await measureUnits(reply)).toEqual([startWcu + failedWcu + 2, startRcu + 1, 3]);
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
  pipeline.advance(HOUR);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  expect(await measureUnits(reply)).toEqual([startWcu + failedWcu + 1, startRcu + 1, 1]);
  pipeline.advance(2 * HOUR);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  outcome = { kind: "accepted", messageId: "m-1" };
  expect(await measureUnits(reply)).toEqual([startWcu + 9 + 2, startRcu + 1, 2]);
  outcome = { kind: "accepted", messageId: "m-2" };
  pipeline.advance(1_000);
  expect(await measureUnits(reply)).toEqual([startWcu + 9, startRcu, 1]);
});

test("a refusal that asks for a pause stores it beside the counts; the next reply costs its reads", async () => {
  const reply = await platformAnswering({ ...refusedOutcome, coolDownMs: MINUTE });
  expect(await measureUnits(reply)).toEqual([startWcu + failedWcu + 1, startRcu, 1]);
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("a reply over the budget costs its reads", async () => {
  const reply = await platformAnswering({ kind: "accepted", messageId: "m" });
  for (let i = 0; i < 10; i++) await reply();
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("a reply with an unknown outcome is settled by the sweep for the cost of a refusal", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.settleSends();
  const reply = await platformAnswering({ kind: "unknown", detail: "outcome_unknown" });
  expect(await measureUnits(reply)).toEqual([startWcu + 1, startRcu, 0]);
  pipeline.advance(MINUTE);
  // Besides an idle sweep: writes the record, the event's ref and body and removes the due send; reads head and record consistently, and the tenant's state.
  expect(await measureUnits(() => pipeline.settleSends())).toEqual([1 + failedWcu, 4.5 + 2.5, 1]);
});

test("a reply whose event no endpoint subscribes to costs a claim, and is counted with the batch", async () => {
  const reply = await platformAnswering({ kind: "accepted", messageId: "m" }, 0);
  await pipeline.deliver();
  await reply();
  const [wcu, rcu] = await measureUnits(() => pipeline.deliver());
  expect([wcu, rcu]).toEqual([1 + 1, 1]);
});

test("an idle sweep of sends reads its checkpoint and the hour's eight shards, and saves the checkpoint", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.settleSends();
  pipeline.advance(MINUTE);
  expect(await measureUnits(() => pipeline.settleSends())).toEqual([1, 4.5, 0]);
});

test("an uploaded attachment costs half a read, and a URL none", async () => {
  const reply = await platformAnswering(refusedOutcome);
  const uploads = (...ids: string[]) => ids.map((attachmentId) => ({ type: "image", attachmentId }));
  const url = { type: "image", url: "https://files.example/a.png" };
  const units = async (attachments: object[]) => (await measureUnits(() => reply({ text: null, attachments })))[1];
  expect(await units([url])).toBe(startRcu);
  expect(await units(uploads("1"))).toBe(startRcu + 0.5);
  expect(await units([...uploads("1", "2", "2"), url])).toBe(startRcu + 1);
  expect(await units(uploads(..."0123456789"))).toBe(startRcu + 5);
});

test("an idempotency key costs a claim and a stored result, and its second use a refused claim", async () => {
  const reply = await platformAnswering(refusedOutcome);
  const key = { idempotencyKey: "a key of 36 characters, as a UUID has" };
  expect(await measureUnits(() => reply(key))).toEqual([startWcu + failedWcu + 2, startRcu, 1]);
  expect(await measureUnits(() => reply(key))).toEqual([1, 0, 0]);
});
