import { type DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { performSend } from "../../../../shared/flows/sending/perform.ts";
import { type PlannedSend, planSend } from "../../../../shared/flows/sending/plan.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR, iso, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { accountBudgetKey, conversationBudgetKey, type Key } from "../../../../shared/stores/keys.ts";
import { injectFaults } from "../../../support/faults.ts";
import { type House, openHouse } from "../support/house.ts";
import { type Outbox, openOutbox, refusing } from "../support/outbox.ts";

let house: House;
let outbox: Outbox;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
// Each test begins with a window of ten seconds.
beforeEach(async () => {
  house.turn(10 * SECOND - (house.now() % (10 * SECOND)));
  outbox = await openOutbox(house);
});

const BURST = 10;
const endOfWindow = () => house.now() + 10 * SECOND - (house.now() % (10 * SECOND));
const dayBegan = () => house.now() - (house.now() % DAY);

async function itemAt(key: Key): Promise<Record<string, unknown>> {
  const { Item } = await house.table.client.send(new GetCommand({ TableName: house.table.name, Key: key }));
  return Item ?? {};
}
const put = (key: Key, rest: object) =>
  house.table.client.send(new PutCommand({ TableName: house.table.name, Item: { ...key, ...rest } }));
const conversationKey = (scope: "live" | "test" = "live") => conversationBudgetKey(outbox.id, scope);
const accountKey = (scope: "live" | "test" = "live") => accountBudgetKey(outbox.tenant, outbox.ref, scope);

async function all(work: readonly Promise<unknown>[]) {
  const told = await Promise.all(work);
  return { sent: told.filter((one) => !isRefusal(one)), refused: told.filter((one) => isRefusal(one)) };
}

/** Transactions meet others on their way, as busy items make them. @returns ends it */
function conflicts(share: number): () => void {
  let seed = 1;
  (house.table.client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
    (next, context) => async (args) => {
      seed = (seed * 16_807) % 2_147_483_647;
      if (context.commandName !== "TransactWriteItemsCommand" || seed / 2_147_483_647 >= share) return next(args);
      throw new TransactionCanceledException({
        $metadata: {},
        message: "injected: met another transaction",
        CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }],
      });
    },
    { name: "conflicts", step: "finalizeRequest", priority: "low" },
  );
  return () => house.table.client.middlewareStack.remove("conflicts");
}

describe("twenty replies at once in one conversation", () => {
  it.each([0, 0.5])(
    "are ten sent and ten refused until the window's end, with a share of %d meeting others",
    async (share) => {
      const end = conflicts(share);
      const { sent, refused } = await all(Array.from({ length: 20 }, () => outbox.reply())).finally(end);
      expect(sent).toHaveLength(BURST);
      expect(outbox.asked).toHaveLength(BURST);
      const until = endOfWindow();
      expect(refused).toEqual(
        Array(10).fill({ refused: "rate_limited", detail: `until ${iso(until)}`, retryAfter: 10 }),
      );
      expect(await outbox.records()).toHaveLength(BURST);
      expect(await outbox.dueItems()).toEqual([]);
      expect((await outbox.events()).map(({ type }) => type)).toEqual(Array(BURST).fill("message.sent"));
      house.turn(until - house.now() - 1);
      expect(await outbox.reply()).toMatchObject({ refused: "rate_limited", retryAfter: 1 });
      house.turn(1);
      expect(await outbox.reply()).toHaveProperty("messageId");
    },
  );
});

it("a day's two hundred are counted beside the bursts, and the longer wait is told", async () => {
  await put(conversationKey(), { dw: dayBegan(), dn: 199, bw: 0, bn: 3 });
  const { sent, refused } = await all(Array.from({ length: 4 }, () => outbox.reply()));
  expect(sent).toHaveLength(1);
  expect(refused[0]).toMatchObject({ refused: "rate_limited", detail: `until ${iso(dayBegan() + DAY)}` });
  expect(await itemAt(conversationKey())).toMatchObject({ dn: 200, bn: 1 });
});

it("an account's hundred in ten seconds are of all its conversations together", async () => {
  await put(accountKey(), { bw: endOfWindow() - 10 * SECOND, bn: 98 });
  const { sent, refused } = await all(Array.from({ length: 6 }, () => outbox.reply()));
  expect([sent.length, refused.length]).toEqual([2, 4]);
  // Refused for the account's sake, they are not spent in the conversation either.
  expect(await itemAt(conversationKey())).toMatchObject({ bn: 2, dn: 2 });
});

it("an answer of the table that is lost spends nothing twice, and nothing is sent twice", async () => {
  let losses = 0;
  const end = injectFaults(house.client, ({ command }) =>
    command === "TransactWriteItems" && losses++ === 0 ? "lost" : "pass",
  );
  expect(await outbox.reply().finally(end)).toHaveProperty("messageId");
  expect(losses).toBe(2);
  expect(outbox.asked).toHaveLength(1);
  expect([await itemAt(conversationKey()), await itemAt(accountKey())]).toMatchObject([{ bn: 1, dn: 1 }, { bn: 1 }]);
});

it("what a test key sends is counted apart", async () => {
  const { sent } = await all(Array.from({ length: 12 }, () => outbox.reply({}, "test")));
  expect(sent).toHaveLength(BURST);
  expect(await itemAt(conversationKey())).toEqual({});
  expect(await itemAt(accountKey())).toEqual({});
  expect(await itemAt(conversationKey("test"))).toMatchObject({ bn: 10 });
  expect(await outbox.reply()).toHaveProperty("messageId");
});

describe("while the platform asks for a pause", () => {
  it("no send of the account is made until the time it named, and then they go on", async () => {
    outbox.answers(refusing({ class: "rate", coolDownMs: 5 * MINUTE, detail: "(#613) Calls exceeded" }));
    expect(await outbox.reply()).toEqual({ refused: "send_failed", detail: "(#613) Calls exceeded" });
    outbox.answers({ kind: "accepted", messageId: `${outbox.tenant}-after` });
    const until = house.now() + 5 * MINUTE;
    house.turn(20 * SECOND);
    expect(await outbox.reply()).toEqual({ refused: "slowed_down", detail: `until ${iso(until)}`, retryAfter: 280 });
    expect(outbox.asked).toHaveLength(1);
    expect(await outbox.reply({}, "test")).toHaveProperty("messageId");
    house.turn(5 * MINUTE - 20 * SECOND - 1);
    expect(await outbox.reply()).toMatchObject({ refused: "slowed_down", retryAfter: 1 });
    house.turn(1);
    expect(await outbox.reply()).toHaveProperty("messageId");
    expect(await outbox.account()).toMatchObject({ status: "active" });
  });

  it("also a send that was planned just before it is refused, and leaves nothing", async () => {
    const planned = await plan();
    await outbox.ports().budgets.coolDown(outbox.tenant, planned.account, house.now() + MINUTE);
    const told = await performSend(outbox.ports(), planned, newUlid(house.now()), house.now);
    expect(told).toMatchObject({ kind: "refused", refusal: { refused: "slowed_down" } });
    expect([outbox.asked, await outbox.records(), await outbox.dueItems()]).toEqual([[], [], []]);
  });

  it("a shorter pause never ends a longer one", async () => {
    const { budgets } = outbox.ports();
    const spender = { tenant: outbox.tenant, account: outbox.ref, conversationId: outbox.id, scope: "live" } as const;
    for (const pause of [HOUR, MINUTE]) await budgets.coolDown(outbox.tenant, spender.account, house.now() + pause);
    expect((await budgets.get(spender)).slowDown.account).toBe(house.now() + HOUR);
  });
});

describe("a human agent's messages", () => {
  const request = (rest: object = {}) => ({
    scope: "live" as const,
    mayUse: () => true,
    conversationId: outbox.id,
    text: "hi",
    replyTo: null,
    kind: "human_agent" as const,
    actorId: "usr_1",
    holdId: "hold_1",
    ...rest,
  });
  const agentSends = async () => {
    const planned = await planSend(outbox.ports(), request(), house.now());
    return isRefusal(planned) ? planned : performSend(outbox.ports(), planned, newUlid(house.now()), house.now);
  };

  it("are twenty a conversation and day", async () => {
    house.turn(2 * DAY - (house.now() % DAY));
    await put(conversationKey(), { hw: dayBegan(), hn: 18, dw: dayBegan(), dn: 18, bw: 0, bn: 1 });
    const told = await Promise.all(Array.from({ length: 4 }, agentSends));
    expect(told.filter((one) => "kind" in one && one.kind === "sent")).toHaveLength(2);
    expect(outbox.asked.map(({ humanAgent }) => humanAgent)).toEqual([true, true]);
    expect(await agentSends()).toMatchObject({ refused: "rate_limited", detail: `until ${iso(dayBegan() + DAY)}` });
  });

  it("pause for a day in a conversation where the platform says so, and replies do not", async () => {
    house.turn(2 * DAY);
    outbox.answers(refusing({ class: "other", humanAgentPauseMs: DAY, detail: "(#613) bothersome" }));
    expect(await agentSends()).toMatchObject({ refusal: { refused: "send_failed" } });
    const until = house.now() + DAY;
    house.turn(MINUTE);
    expect(await agentSends()).toMatchObject({ refused: "slowed_down", detail: `until ${iso(until)}` });
    await outbox.take({ messageId: `${outbox.tenant}-again` });
    outbox.answers({ kind: "accepted", messageId: `${outbox.tenant}-reply` });
    expect(await outbox.reply()).toHaveProperty("messageId");
  });

  it("go out as a plain reply when the person wrote while they were held, by the person who typed them", async () => {
    const planned = await planSend(outbox.ports(), request(), house.now());
    expect(planned).toMatchObject({ via: "api_in_window", actorId: "usr_1", holdId: "hold_1" });
    expect(await planSend(outbox.ports(), request({ holdId: null }), house.now())).toEqual({
      refused: "human_agent_early",
    });
  });
});

async function plan(): Promise<PlannedSend> {
  const request = { scope: "live", mayUse: () => true, conversationId: outbox.id, text: "hi", replyTo: null } as const;
  const planned = await planSend(outbox.ports(), { ...request, kind: "reply", actorId: null }, house.now());
  if (isRefusal(planned)) throw new Error(planned.refused);
  return planned;
}
