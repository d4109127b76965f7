import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { accountHomes } from "../../../../shared/flows/inbox/resolve-account.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { type Meter, meterOf } from "../../../support/meter.ts";
import { messageId, text } from "../../../support/pipeline/traffic.ts";
import { edited, type Happening, ingestOf, reacted, ruled, said, unsent } from "../support/changes.ts";
import { erase, untilErased } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

// Counted units, which repeat exactly; docs/table.md shows the same figures.

let house: House;
let lane: Lane;
let meter: Meter;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
  meter = meterOf(house.client, house.table.name);
});
afterAll(async () => {
  meter.close();
  await house.close();
});

let cost: (...happenings: Happening[]) => Promise<{ wcu: number; rcu: number }>;
let at: number;
let tenant: TenantId;
let conversation: string;
let mid: (n: number) => string;
beforeEach(async () => {
  const fresh = await newConversation(house);
  ({ tenant, conversation } = fresh);
  const { account } = fresh;
  const ports = house.ingestPorts(lane);
  const findHome = accountHomes(ports);
  at = house.now() - MINUTE;
  mid = (n) => messageId("instagram", account, n, at + n);
  cost = async (...happenings) => {
    const { wcu, rcu } = await meter.during("cost", () => ingestOf(ports, account, happenings, house.now(), findHome));
    return { wcu, rcu };
  };
  await cost(said(mid(1), text(1), at + 1), said(mid(2), text(2), at + 2));
});

it("an unsending costs 6 writes where the message is the newest, and 5 where it is not", async () => {
  expect(await cost(unsent(mid(2), at + 5))).toEqual({ wcu: 6, rcu: 1 });
  expect(await cost(unsent(mid(1), at + 6))).toEqual({ wcu: 5, rcu: 1 });
});

it("an edit costs what an unsending does", async () => {
  expect(await cost(edited(mid(2), text(3), 1, at + 5))).toEqual({ wcu: 6, rcu: 1 });
});

it("a reaction costs its event", async () => {
  expect(await cost(reacted(mid(2), "react", at + 5))).toEqual({ wcu: 2, rcu: 0.5 });
});

it("an unsending before its message costs its mark, and the message then its emptying", async () => {
  expect(await cost(unsent(mid(3), at + 5))).toEqual({ wcu: 5, rcu: 2 });
  expect(await cost(said(mid(3), text(3), at + 3))).toEqual({ wcu: 12, rcu: 1.5 });
});

it("a change of a message that was erased costs what finding that out does", async () => {
  const lanes = await house.newLane();
  const change = () => cost(edited(mid(2), text(3), 1, house.now()));
  await erase(house, lanes, { tenant, conversation });
  house.turn(MINUTE);
  await change();
  expect(await change()).toEqual({ wcu: 0, rcu: 2 });
  await untilErased(house, lanes);
  await change();
  expect(await change()).toEqual({ wcu: 0, rcu: 3 });
});

it("a policy update costs the account and its event", async () => {
  expect(await cost(ruled("block", at))).toEqual({ wcu: 2, rcu: 2 });
  expect(await cost(ruled("block", at))).toEqual({ wcu: 0, rcu: 2 });
  expect(await cost(ruled("warning", at + 1))).toEqual({ wcu: 0, rcu: 0 });
});
