import { DeleteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { ApiPorts } from "../../../../shared/flows/ports.ts";
import { settleDueSends } from "../../../../shared/flows/sending/settle-due.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { DAY, MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import { ACCOUNT, newTenant, PERSON } from "../../stores/support/samples.ts";
import { type House, openHouse } from "../support/house.ts";

// Sweeps of sends that end before they are through.

let house: House;
let ports: ApiPorts;
beforeAll(async () => {
  house = await openHouse();
  ports = house.apiPorts(await house.newLane());
});
afterAll(() => house.close());
beforeEach(async () => {
  house.turn(30 * DAY);
  await house.table.client.send(new DeleteCommand({ TableName: house.table.name, Key: { PK: "QS", SK: "SWEPT" } }));
  await settleDueSends(ports, house.now());
});

/** Sends that nobody ended, of conversations that are gone: each is looked at, and is due no more. */
async function begin(count: number, apart: Millis): Promise<string[]> {
  const sendIds: string[] = [];
  for (let i = 0; i < count; i++) {
    const sendId = newUlid(house.now());
    const gone = conversationId({ tenant: newTenant(), account: ACCOUNT, participantId: PERSON });
    await ports.dueSends.put({
      conversationId: gone,
      sendId,
      begunAt: house.now(),
      content: { kind: "text", text: "hi" },
    });
    sendIds.push(sendId);
    house.turn(apart);
  }
  return sendIds;
}

async function left(): Promise<string[]> {
  const { Items = [] } = await house.table.client.send(
    new ScanCommand({
      TableName: house.table.name,
      FilterExpression: "begins_with(PK, :qs) AND attribute_exists(c)",
      ExpressionAttributeValues: { ":qs": "QS#" },
    }),
  );
  return Items.map(({ SK }) => String(SK).split("#")[1] ?? "").sort();
}

/** So many pages, and no more. */
function pages(count: number): () => boolean {
  let begun = 0;
  return () => begun++ < count;
}

it("a sweep of sends whose time is nearly over ends by itself and leaves all as it is", async () => {
  const mark = await ports.dueSends.sweptUpTo();
  const sends = await begin(2, SECOND);
  house.turn(MINUTE);
  expect(await settleDueSends(ports, house.now(), () => false)).toBe(0);
  expect(await left()).toEqual(sends);
  expect(await ports.dueSends.sweptUpTo()).toEqual(mark);
  expect(await settleDueSends(ports, house.now())).toBe(2);
});

it("a sweep of sends is gone on with from the page it came to, earliest first", async () => {
  const sends = await begin(250, 10);
  house.turn(10 * MINUTE);
  expect(await settleDueSends(ports, house.now(), pages(2))).toBe(200);
  expect(await left()).toEqual(sends.slice(200));
  expect((await ports.dueSends.sweptUpTo())?.key).toContain(sends[199]);
  expect(await settleDueSends(ports, house.now())).toBe(50);
  expect(await left()).toEqual([]);
});

it("a send that cannot be settled keeps the mark before its page, and is found however late it can be", async () => {
  const sends = await begin(150, 10);
  const poison = sends[120];
  house.turn(10 * MINUTE);
  const done: typeof ports.dueSends.done = (due) =>
    due.sendId === poison ? Promise.reject(new Error("no")) : ports.dueSends.done(due);
  const sick = { ...ports, dueSends: { ...ports.dueSends, done } };
  for (let i = 0; i < 3; i++) {
    await expect(settleDueSends(sick, house.now())).rejects.toThrow("no");
    expect(await left()).toEqual([poison]);
    expect((await ports.dueSends.sweptUpTo())?.key).toContain(sends[99]);
    house.turn(DAY);
  }
  expect(await settleDueSends(ports, house.now())).toBe(1);
  expect(await left()).toEqual([]);
  expect((await ports.dueSends.sweptUpTo())?.at).toBe(house.now());
});
