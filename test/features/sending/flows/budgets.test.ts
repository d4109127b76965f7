import { type DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, HOUR, iso, MINUTE, SECOND } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { planSend } from "#features/sending/plan.ts";
import { accountBudgetKey, conversationBudgetKey } from "#features/sending/store/items.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { readItem, writeItem } from "../../../support/stores/items.ts";
import { sampleMessage } from "./support/sample-send.ts";

let fixture: ReplyFixture;
const testEnv = openedOnce(openTestEnv);
// Each test starts with a new ten-second window.
beforeEach(async () => {
  testEnv.advance(10 * SECOND - (testEnv.now() % (10 * SECOND)));
  fixture = await openReplyFixture(testEnv);
});

const BURST = 10;
const windowEnd = () => testEnv.now() + 10 * SECOND - (testEnv.now() % (10 * SECOND));
const dayStart = () => testEnv.now() - (testEnv.now() % DAY);

async function itemAt(key: Key): Promise<Record<string, unknown>> {
  const Item = await readItem(testEnv.table, key);
  return Item ?? {};
}
const put = (key: Key, rest: object) => writeItem(testEnv.table, { ...key, ...rest });
const conversationKey = (scope: "live" | "test" = "live") => conversationBudgetKey(fixture.id, scope);
const accountKey = (scope: "live" | "test" = "live") => accountBudgetKey(fixture.tenant, fixture.accountRef, scope);

async function settleAll(work: readonly Promise<unknown>[]) {
  const results = await Promise.all(work);
  return { sent: results.filter((one) => !isRefusal(one)), refused: results.filter((one) => isRefusal(one)) };
}

/** Injects transaction conflicts, as busy items cause them. @returns a function that stops the injection */
function injectConflicts(fraction: number): () => void {
  let seed = 1;
  (testEnv.table.client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
    (next, context) => async (args) => {
      seed = (seed * 16_807) % 2_147_483_647;
      if (context.commandName !== "TransactWriteItemsCommand" || seed / 2_147_483_647 >= fraction) return next(args);
      throw new TransactionCanceledException({
        $metadata: {},
        message: "injected transaction conflict",
        CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }],
      });
    },
    { name: "conflicts", step: "finalizeRequest", priority: "low" },
  );
  return () => testEnv.table.client.middlewareStack.remove("conflicts");
}

it.each([0, 0.5])(
  "twenty concurrent replies in one conversation send ten and refuse ten until the window ends, with a share of %d transaction conflicts",
  async (share) => {
    const end = injectConflicts(share);
    const { sent, refused } = await settleAll(Array.from({ length: 20 }, () => fixture.sendReply())).finally(end);
    expect(sent).toHaveLength(BURST);
    expect(fixture.platformCalls).toHaveLength(BURST);
    const until = windowEnd();
    expect(refused).toEqual(Array(10).fill({ refused: "rate_limited", detail: `until ${iso(until)}`, retryAfter: 10 }));
    expect(await fixture.records()).toHaveLength(BURST);
    expect(await fixture.dueItems()).toEqual([]);
    expect((await fixture.events()).map(({ type }) => type)).toEqual(Array(BURST).fill("message.sent"));
    testEnv.advance(until - testEnv.now() - 1);
    expect(await fixture.sendReply()).toMatchObject({ refused: "rate_limited", retryAfter: 1 });
    testEnv.advance(1);
    expect(await fixture.sendReply()).toHaveProperty("messageId");
  },
);

it("the daily 200 are counted besides the bursts, and the refusal names the longer wait", async () => {
  await put(conversationKey(), { dw: dayStart(), dn: 199, bw: 0, bn: 3 });
  const { sent, refused } = await settleAll(Array.from({ length: 4 }, () => fixture.sendReply()));
  expect(sent).toHaveLength(1);
  expect(refused[0]).toMatchObject({ refused: "rate_limited", detail: `until ${iso(dayStart() + DAY)}` });
  expect(await itemAt(conversationKey())).toMatchObject({ dn: 200, bn: 1 });
});

it("the account's 100 in ten seconds apply to all its conversations together", async () => {
  await put(accountKey(), { bw: windowEnd() - 10 * SECOND, bn: 98 });
  const { sent, refused } = await settleAll(Array.from({ length: 6 }, () => fixture.sendReply()));
  expect([sent.length, refused.length]).toEqual([2, 4]);
  // A refusal for the account spends nothing of the conversation's budget.
  expect(await itemAt(conversationKey())).toMatchObject({ bn: 2, dn: 2 });
});

it("a lost response of the table neither spends nor sends twice", async () => {
  let losses = 0;
  const end = injectFaults(testEnv.client, ({ command }) =>
    command === "TransactWriteItems" && losses++ === 0 ? "lost" : "pass",
  );
  expect(await fixture.sendReply().finally(end)).toHaveProperty("messageId");
  expect(losses).toBe(2);
  expect(fixture.platformCalls).toHaveLength(1);
  expect([await itemAt(conversationKey()), await itemAt(accountKey())]).toMatchObject([{ bn: 1, dn: 1 }, { bn: 1 }]);
});

it("sends of a test key are counted apart", async () => {
  const { sent } = await settleAll(Array.from({ length: 12 }, () => fixture.sendReply({}, "test")));
  expect(sent).toHaveLength(BURST);
  expect(await itemAt(conversationKey())).toEqual({});
  expect(await itemAt(accountKey())).toEqual({});
  expect(await itemAt(conversationKey("test"))).toMatchObject({ bn: 10 });
  expect(await fixture.sendReply()).toHaveProperty("messageId");
});

it("while the platform asks for a pause, the account sends nothing until the pause ends, and then continues", async () => {
  fixture.setPlatformResponse(refusedWith({ class: "rate", coolDownMs: 5 * MINUTE, detail: "(#613) Calls exceeded" }));
  expect(await fixture.sendReply()).toEqual({ refused: "send_failed", detail: "(#613) Calls exceeded" });
  fixture.setPlatformResponse({ kind: "accepted", messageId: `${fixture.tenant}-after` });
  const until = testEnv.now() + 5 * MINUTE;
  testEnv.advance(20 * SECOND);
  expect(await fixture.sendReply()).toEqual({
    refused: "slowed_down",
    detail: `until ${iso(until)}`,
    retryAfter: 280,
  });
  expect(fixture.platformCalls).toHaveLength(1);
  expect(await fixture.sendReply({}, "test")).toHaveProperty("messageId");
  testEnv.advance(5 * MINUTE - 20 * SECOND - 1);
  expect(await fixture.sendReply()).toMatchObject({ refused: "slowed_down", retryAfter: 1 });
  testEnv.advance(1);
  expect(await fixture.sendReply()).toHaveProperty("messageId");
  expect(await fixture.account()).toMatchObject({ status: "active" });
});

it("while the platform asks for a pause, a send that was planned just before the pause is refused and leaves nothing", async () => {
  const planned = await fixture.plan();
  await fixture.ports().budgets.pauseAccount(fixture.tenant, planned.account, testEnv.now() + MINUTE);
  const result = await fixture.perform(planned);
  expect(result).toMatchObject({ kind: "refused", refusal: { refused: "slowed_down" } });
  expect([fixture.platformCalls, await fixture.records(), await fixture.dueItems()]).toEqual([[], [], []]);
});

it("while the platform asks for a pause, a shorter pause never ends a longer one", async () => {
  const { budgets } = fixture.ports();
  const spender = {
    tenant: fixture.tenant,
    account: fixture.accountRef,
    conversationId: fixture.id,
    scope: "live",
  } as const;
  for (const pause of [HOUR, MINUTE])
    await budgets.pauseAccount(fixture.tenant, spender.account, testEnv.now() + pause);
  expect((await budgets.get(spender)).slowDown.account).toBe(testEnv.now() + HOUR);
});

const request = (rest: object = {}) => ({
  message: sampleMessage(fixture.id, "usr_1"),
  kind: "human_agent" as const,
  holdId: "hold_1",
  ...rest,
});
const agentSends = async () => {
  const planned = await planSend(fixture.ports(), request(), testEnv.now());
  return isRefusal(planned) ? planned : fixture.perform(planned);
};

it("a human agent's messages are limited to 20 per conversation and day", async () => {
  testEnv.advance(2 * DAY - (testEnv.now() % DAY));
  await put(conversationKey(), { hw: dayStart(), hn: 18, dw: dayStart(), dn: 18, bw: 0, bn: 1 });
  const results = await Promise.all(Array.from({ length: 4 }, agentSends));
  expect(results.filter((one) => "kind" in one && one.kind === "sent")).toHaveLength(2);
  expect(fixture.platformCalls.map(({ humanAgent }) => humanAgent)).toEqual([true, true]);
  expect(await agentSends()).toMatchObject({ refused: "rate_limited", detail: `until ${iso(dayStart() + DAY)}` });
});

it("a human agent's messages pause for a day in a conversation when the platform asks for it, and replies do not", async () => {
  testEnv.advance(2 * DAY);
  fixture.setPlatformResponse(refusedWith({ class: "other", humanAgentPauseMs: DAY, detail: "(#613) bothersome" }));
  expect(await agentSends()).toMatchObject({ refusal: { refused: "send_failed" } });
  const until = testEnv.now() + DAY;
  testEnv.advance(MINUTE);
  expect(await agentSends()).toMatchObject({ refused: "slowed_down", detail: `until ${iso(until)}` });
  await fixture.take({ messageId: `${fixture.tenant}-again` });
  fixture.setPlatformResponse({ kind: "accepted", messageId: `${fixture.tenant}-reply` });
  expect(await fixture.sendReply()).toHaveProperty("messageId");
});

it("a human agent's messages are sent as a reply with their actor when the person wrote while they were held", async () => {
  const planned = await planSend(fixture.ports(), request(), testEnv.now());
  expect(planned).toMatchObject({ via: "api_in_window", actorId: "usr_1", holdId: "hold_1" });
  expect(await planSend(fixture.ports(), request({ holdId: null }), testEnv.now())).toEqual({
    refused: "human_agent_early",
  });
});
