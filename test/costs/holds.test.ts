import { afterAll, beforeAll, expect, test } from "vitest";
import { upTo } from "../../functions/http/deadline.ts";
import { holdSecret } from "../../shared/domain/holds/holds.ts";
import { takeChallenge } from "../../shared/flows/holds/challenge.ts";
import { completeHold } from "../../shared/flows/holds/complete.ts";
import { createHold, type MadeHold } from "../../shared/flows/holds/create.ts";
import { endOverdueHolds } from "../../shared/flows/holds/expire.ts";
import { readHold } from "../../shared/flows/holds/get.ts";
import { lookAtHold } from "../../shared/flows/holds/view.ts";
import type { CheckPorts } from "../../shared/flows/ports.ts";
import { randomToken } from "../../shared/kernel/bytes.ts";
import { isRefusal } from "../../shared/kernel/refusals.ts";
import { DAY, MINUTE } from "../../shared/kernel/time.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { CHALLENGE_KEY, easyToken, solve } from "../shared/flows/support/hold-scene.ts";
import type { Workspace } from "../support/pipeline/workspace.ts";
import { type Pipeline, startPipeline } from "../support/pipeline.ts";

// What a held message costs on its way, to the unit of docs/table.md.

const MID = "m_".padEnd(160, "7");

let pipeline: Pipeline;
let workspace: Workspace;
let ports: CheckPorts;
beforeAll(async () => {
  pipeline = await startPipeline();
  workspace = await freshWorkspace(pipeline);
  await pipeline.receive(workspace.writes(0));
  await pipeline.ingest();
  pipeline.turn(DAY);
  await pipeline.apiPorts.shardsOf(workspace.tenant, pipeline.now());
  ports = {
    ...pipeline.apiPorts,
    tries: pipeline.stores.tries,
    challengeKey: async () => CHALLENGE_KEY,
    random: randomToken,
    upTo,
    page: new Map(),
    platformOf: () => ({ send: async () => ({ kind: "accepted", messageId: MID }) }),
  };
});
afterAll(() => pipeline.close());

const caller = () => ({ kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" }) as const;
const units = async (work: () => Promise<unknown>) => {
  const { wcu, rcu, sqs } = await pipeline.cost(work);
  return [wcu, rcu, sqs];
};

async function held(): Promise<MadeHold> {
  const conversationId = workspace.conversationOf(0);
  const asked = { conversationId, replyTo: null, actorId: "console:usr_1", text: "Yes.".padEnd(120, ".") };
  const made = await createHold(pipeline.apiPorts, { caller: caller(), ip: "203.0.113.7" }, asked, pipeline.now());
  if (isRefusal(made)) throw new Error(made.refused);
  return made;
}

const requestOf = async ({ id }: MadeHold) => ({
  holdId: id,
  secret: holdSecret(await pipeline.apiPorts.holdKey(), id),
  sourceIp: "203.0.113.7",
});

test("to hold a message is one transaction, and to read it one item", async () => {
  const [hold, waiting, ref, head, audit] = [2, 1, 2, 2, 2];
  let made: MadeHold | null = null;
  expect(
    await units(async () => {
      made = await held();
    }),
  ).toEqual([hold + waiting + ref + head + audit, 3, 0]);
  const { id } = made as unknown as MadeHold;
  expect(await units(() => readHold(pipeline.apiPorts, caller(), id, pipeline.now()))).toEqual([0, 1, 0]);
});

test("a look reads the address's tries, the hold and whom it goes to; a challenge also counts itself", async () => {
  const made = await held();
  const request = await requestOf(made);
  expect(await units(() => lookAtHold(ports, request, pipeline.now()))).toEqual([0, 3, 0]);
  expect(await units(() => takeChallenge(ports, request, pipeline.now()))).toEqual([1, 2, 0]);
  const wrong = { ...request, secret: "wrong" };
  expect(await units(() => lookAtHold(ports, wrong, pipeline.now()))).toEqual([1, 2, 0]);
});

test("a completion is a claim, an audit row and a settling around a send", async () => {
  const made = await held();
  const token = easyToken({ holdId: made.id, expires: made.expiresAt });
  const answer = { ...(await requestOf(made)), token, solutions: solve(token) };
  const [claim, audit, settled, opened, plan] = [2, 1, 1, 4, 3];
  expect(await units(() => completeHold(ports, answer, pipeline.now))).toEqual([
    claim + audit + settled + 16,
    opened + plan,
    1,
  ]);
});

test("an end by time is written by whoever sees it first, the sweep at the latest", async () => {
  const sweep = () => endOverdueHolds(pipeline.apiPorts, pipeline.now());
  await held();
  pipeline.turn(16 * MINUTE);
  await sweep();
  const made = await held();
  pipeline.turn(16 * MINUTE);
  expect(await units(() => readHold(pipeline.apiPorts, caller(), made.id, pipeline.now()))).toEqual([2, 1, 0]);
  expect(await units(() => readHold(pipeline.apiPorts, caller(), made.id, pipeline.now()))).toEqual([0, 1, 0]);
  expect(await units(sweep)).toEqual([0, 0.5, 0]);
  for (let i = 0; i < 5; i++) await held();
  pipeline.turn(16 * MINUTE);
  expect(await units(sweep)).toEqual([5 * 2, 0.5, 0]);
  expect(await units(sweep)).toEqual([0, 0.5, 0]);
});
