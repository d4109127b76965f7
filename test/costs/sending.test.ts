import { afterAll, beforeAll, expect, test } from "vitest";
import { sendReply } from "../../shared/flows/sending/reply.ts";
import { HOUR, MINUTE } from "../../shared/kernel/time.ts";
import type { SendOutcome } from "../../shared/platforms/platform.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import type { Workspace } from "../support/pipeline/workspace.ts";
import { type Pipeline, startPipeline } from "../support/pipeline.ts";

// What sends cost that do not go well, and what is done beside them, to the unit.

let pipeline: Pipeline;
let workspace: Workspace;
beforeAll(async () => {
  pipeline = await startPipeline();
});
afterAll(() => pipeline.close());

/** A workspace in which the person wrote a minute ago, its tenant's state remembered. */
async function platformAnswering(outcome: SendOutcome, endpoints = 1): Promise<(rest?: object) => Promise<unknown>> {
  workspace = await freshWorkspace(pipeline, { endpoints });
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  pipeline.advance(MINUTE - (pipeline.now() % MINUTE));
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  const platformOf = (...platformArgs: Parameters<typeof pipeline.apiPorts.platformFor>) => ({
    ...pipeline.apiPorts.platformFor(...platformArgs),
    send: async () => outcome,
  });
  const caller = { kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" } as const;
  const reply = { conversationId: workspace.conversationIdFor(0), text: "Yes.".padEnd(120, "."), replyTo: null };
  return (rest = {}) =>
    sendReply({ ...pipeline.apiPorts, platformFor: platformOf }, caller, { ...reply, ...rest }, pipeline.now);
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

test("a reply that the platform refuses is settled, noted, kept with its event, and not due any more", async () => {
  const reply = await platformAnswering(refusedOutcome);
  expect(await measureUnits(reply)).toEqual([startWcu + 1 + 1 + 1 + 1, startRcu, 1]);
});

test("one that ends the account's access changes it once, and the next costs its reads", async () => {
  const reply = await platformAnswering({ ...refusedOutcome, accountStatus: "needs_reauth" });
  expect(await measureUnits(reply)).toEqual([startWcu + 4 + 2, startRcu + 2, 2]);
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("one that asks for a pause writes it beside the count, and the next costs its reads", async () => {
  const reply = await platformAnswering({ ...refusedOutcome, coolDownMs: MINUTE });
  expect(await measureUnits(reply)).toEqual([startWcu + 4 + 1, startRcu, 1]);
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("one over the budget costs its reads", async () => {
  const reply = await platformAnswering({ kind: "accepted", messageId: "m" });
  for (let i = 0; i < 10; i++) await reply();
  expect(await measureUnits(reply)).toEqual([0, startRcu, 0]);
});

test("one whose outcome is unknown is settled by the sweep for what a refusal costs its sender", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.settleSends();
  const reply = await platformAnswering({ kind: "unknown", detail: "outcome_unknown" });
  expect(await measureUnits(reply)).toEqual([startWcu + 1, startRcu, 0]);
  pipeline.advance(MINUTE);
  // Beside an idle look: given up, noted, the event's body, not due any more; head and record, consistent, and the tenant's state.
  expect(await measureUnits(() => pipeline.settleSends())).toEqual([1 + 4, 5 + 2.5, 1]);
});

test("one that is announced where no endpoint wants its event costs a claim, and is counted with the batch", async () => {
  const reply = await platformAnswering({ kind: "accepted", messageId: "m" }, 0);
  await pipeline.deliver();
  await reply();
  const [wcu, rcu] = await measureUnits(() => pipeline.deliver());
  expect([wcu, rcu]).toEqual([1 + 1, 1]);
});

test("an idle look at sends reads its mark and the hour's eight shards, and moves the mark", async () => {
  pipeline.advance(HOUR - (pipeline.now() % HOUR) + 10 * MINUTE);
  await pipeline.settleSends();
  pipeline.advance(MINUTE);
  expect(await measureUnits(() => pipeline.settleSends())).toEqual([1, 5, 0]);
});

test("a key costs a claim and an answer kept, and its second use a refused claim", async () => {
  const reply = await platformAnswering(refusedOutcome);
  const key = { idempotencyKey: "a key of 36 characters, as a UUID has" };
  expect(await measureUnits(() => reply(key))).toEqual([startWcu + 4 + 2, startRcu, 1]);
  expect(await measureUnits(() => reply(key))).toEqual([1, 0, 0]);
});
