import { beforeAll, expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { createChallenge } from "#features/holds/flows/challenge.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { type CreatedHold, createHold } from "#features/holds/flows/create.ts";
import { expireHolds } from "#features/holds/flows/expire.ts";
import { getHold, viewHold } from "#features/holds/flows/view.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { holdSecret } from "#features/holds/rules/holds.ts";
import { freshWorkspace } from "../bench/scenarios.ts";
import { checkPageDoubles, easyChallengeToken, solveChallenge } from "../support/flows/hold-fixture.ts";
import { openedOnce } from "../support/opened.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// The exact costs of a held message, as in docs/design/table-costs.md.

const MID = "m_".padEnd(160, "7");
let ports: CheckPagePorts;
const pipeline = openedOnce(startMeteredPipeline);
const workspace = openedOnce(() => freshWorkspace(pipeline));
beforeAll(async () => {
  await pipeline.receive(workspace.nextWebhook(0));
  await pipeline.ingest();
  pipeline.advance(DAY);
  await pipeline.apiPorts.feedShards(workspace.tenant, pipeline.now());
  ports = {
    ...pipeline.apiPorts,
    checkAttempts: pipeline.stores.checkAttempts,
    ...checkPageDoubles,
    platformFor: async () => ({ send: async () => ({ kind: "accepted", messageId: MID }) }),
  };
});

const caller = () => ({ kind: "tenant_key", keyId: "k", tenant: workspace.tenant, scope: "live" }) as const;
const measureUnits = async (work: () => Promise<unknown>) => {
  const { wcu, rcu, sqs } = await pipeline.cost(work);
  return [wcu, rcu, sqs];
};

async function createTestHold(): Promise<CreatedHold> {
  const conversationId = workspace.conversationIdFor(0);
  const message = { conversationId, replyTo: null, actorId: "console:usr_1", text: "Yes.".padEnd(120, ".") };
  const hold = await createHold(
    pipeline.apiPorts,
    { caller: caller(), ip: "203.0.113.7" },
    message,
    startRequestTime(pipeline.now),
  );
  if (isRefusal(hold)) throw new Error(hold.refused);
  return hold;
}

const completeRequest = async ({ id }: CreatedHold) => ({
  holdId: id,
  secret: holdSecret(await pipeline.apiPorts.holdKeys(), id),
  sourceIp: "203.0.113.7",
});

test("holding a message is one transaction, and reading it one item", async () => {
  const [hold, waiting, ref, head, audit] = [2, 1, 2, 2, 2];
  let measured: CreatedHold | null = null;
  expect(
    await measureUnits(async () => {
      measured = await createTestHold();
    }),
  ).toEqual([hold + waiting + ref + head + audit, 3, 0]);
  const { id } = measured as unknown as CreatedHold;
  expect(await measureUnits(() => getHold(pipeline.apiPorts, caller(), id, pipeline.now()))).toEqual([0, 1, 0]);
});

test("a view reads the address's attempts, the hold and its conversation; a challenge also counts itself", async () => {
  const hold = await createTestHold();
  const request = await completeRequest(hold);
  expect(await measureUnits(() => viewHold(ports, request, pipeline.now()))).toEqual([0, 3, 0]);
  expect(await measureUnits(() => createChallenge(ports, request, pipeline.now()))).toEqual([1, 2, 0]);
  const wrong = { ...request, secret: "wrong" };
  expect(await measureUnits(() => viewHold(ports, wrong, pipeline.now()))).toEqual([1, 2, 0]);
});

test("a completion is a claim, an audit row and a settled hold around a send, and a view after it reads two items", async () => {
  const hold = await createTestHold();
  const token = easyChallengeToken({ holdId: hold.id, expires: hold.expiresAt });
  const answer = { ...(await completeRequest(hold)), token, solutions: solveChallenge(token) };
  const [claim, audit, settled, openedWcu, plan] = [2, 1, 1, 4, 3];
  expect(await measureUnits(() => completeHold(ports, answer, startRequestTime(pipeline.now)))).toEqual([
    claim + audit + settled + 16,
    openedWcu + plan,
    1,
  ]);
  expect(await measureUnits(() => viewHold(ports, answer, pipeline.now()))).toEqual([0, 2, 0]);
});

test("a completion whose send takes over a second reads the account again, also without sockets", async () => {
  const readsWhenSendTakes = async (durationMs: number) => {
    const hold = await createTestHold();
    const token = easyChallengeToken({ holdId: hold.id, expires: hold.expiresAt });
    const answer = { ...(await completeRequest(hold)), token, solutions: solveChallenge(token) };
    const send = async () => {
      pipeline.advance(durationMs);
      return { kind: "accepted", messageId: `${MID}${durationMs}` } as const;
    };
    const slowPorts = { ...ports, platformFor: async () => ({ send }) };
    const { rcu, sqs } = await pipeline.cost(() => completeHold(slowPorts, answer, startRequestTime(pipeline.now)));
    return { rcu, sqs };
  };
  expect(await readsWhenSendTakes(SECOND)).toEqual({ rcu: 7, sqs: 1 });
  expect(await readsWhenSendTakes(SECOND + 1)).toEqual({ rcu: 8, sqs: 1 });
});

test("an end by time is written by its first reader, at the latest by the sweep", async () => {
  const sweep = () => expireHolds(pipeline.apiPorts, pipeline.now());
  await createTestHold();
  pipeline.advance(16 * MINUTE);
  await sweep();
  const hold = await createTestHold();
  pipeline.advance(16 * MINUTE);
  expect(await measureUnits(() => getHold(pipeline.apiPorts, caller(), hold.id, pipeline.now()))).toEqual([2, 1, 0]);
  expect(await measureUnits(() => getHold(pipeline.apiPorts, caller(), hold.id, pipeline.now()))).toEqual([0, 1, 0]);
  expect(await measureUnits(sweep)).toEqual([0, 0.5, 0]);
  for (let i = 0; i < 5; i++) await createTestHold();
  pipeline.advance(16 * MINUTE);
  expect(await measureUnits(sweep)).toEqual([5 * 2, 0.5, 0]);
  expect(await measureUnits(sweep)).toEqual([0, 0.5, 0]);
});
