import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { table as names } from "#base/config/names.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { expireHolds } from "#features/holds/flows/expire.ts";
import { WAITING_HOLDS } from "#features/holds/store/items.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

// No request reads these holds before the sweep.

const testEnv = openedOnce(openTestEnv);

const holds = () => ({ holds: testEnv.apiPorts({ events: "", deliveries: "" }).holds });
const sweepHolds = () => expireHolds(holds(), testEnv.now());

/** The part of a hold's row that is only there while it waits. */
const WAITING = `"F":"${WAITING_HOLDS}"`;

/** The rows of the table and of the index of waiting holds that contain the text. */
async function rowsWith(text: string): Promise<string[]> {
  const { name: TableName, client } = testEnv.table;
  const [table, index] = await Promise.all([
    client.send(new ScanCommand({ TableName })),
    client.send(
      new QueryCommand({
        TableName,
        IndexName: names.feedIndex.name,
        KeyConditionExpression: "F = :f",
        ExpressionAttributeValues: { ":f": WAITING_HOLDS },
      }),
    ),
  ]);
  return [...(table.Items ?? []), ...(index.Items ?? [])]
    .filter((item) => JSON.stringify(item).includes(text))
    .map(({ PK }) => PK);
}

it.each([{ text: "a text" }, { text: null, attachments: [{ type: "image", url: "https://cdn.example/x" }] }])(
  "a held message that no one checks is removed by the first sweep after its expiry and not before: %o",
  async (content) => {
    const fixture = await openHoldFixture(testEnv);
    const mark = `${fixture.tenant} said`;
    const heldText = content.text
      ? { text: mark }
      : { text: null, attachments: [{ type: "image" as const, url: `https://cdn.example/${fixture.tenant}` }] };
    const needle = content.text ? mark : `https://cdn.example/${fixture.tenant}`;
    const { id, expiresAt } = await fixture.newHold(heldText);
    testEnv.advance(expiresAt - testEnv.now() - 1);
    await sweepHolds();
    expect(await rowsWith(needle)).toEqual([`H#${id}`, `H#${id}`]);
    testEnv.advance(1);
    await sweepHolds();
    expect(await rowsWith(needle)).toEqual([]);
    expect(await rowsWith(WAITING)).toEqual([]);
    expect(await fixture.read(id)).toMatchObject({ state: { status: "expired" }, hold: { content: null } });
    expect(await fixture.complete({ id, conversationId: "", createdAt: 0, expiresAt })).toMatchObject({
      refused: "hold_expired",
    });
  },
);

it("a held message that no one checks expires although others fail, and the next sweep expires those", async () => {
  const fixture = await openHoldFixture(testEnv);
  const createdHolds = [];
  for (let i = 0; i < 20; i++) createdHolds.push(await fixture.newHold());
  testEnv.advance(15 * MINUTE);
  const { holds: real } = holds();
  const failingIds = createdHolds.slice(0, 9).map(({ id }) => id);
  const failingExpire: typeof real.expire = (hold, now) =>
    failingIds.includes(hold.id) ? Promise.reject(new Error("injected")) : real.expire(hold, now);
  await expect(expireHolds({ holds: { ...real, expire: failingExpire } }, testEnv.now())).rejects.toThrow("injected");
  expect(new Set(await rowsWith(WAITING))).toEqual(new Set(failingIds.map((id) => `H#${id}`)));
  await sweepHolds();
  expect(await rowsWith(WAITING)).toEqual([]);
});

it("a held message that no one checks is left to the next sweep when this one runs out of time", async () => {
  const fixture = await openHoldFixture(testEnv);
  await fixture.newHold({ text: `${fixture.tenant} said` });
  testEnv.advance(15 * MINUTE);
  await expireHolds(holds(), testEnv.now(), () => false);
  expect(await rowsWith(`${fixture.tenant} said`)).toHaveLength(2);
  await sweepHolds();
  expect(await rowsWith(`${fixture.tenant} said`)).toEqual([]);
});

eachFault(
  "a held message that no one checks is expired by a sweep that fails (%s) at any call and is repeated",
  testEnv,
  async (interrupt) => {
    const fixture = await openHoldFixture(testEnv);
    const { id } = await fixture.newHold({ text: `${fixture.tenant} said` });
    testEnv.advance(15 * MINUTE);
    await interrupt(sweepHolds);
    testEnv.advance(MINUTE);
    await sweepHolds();
    expect(await rowsWith(`${fixture.tenant} said`)).toEqual([]);
    expect(await fixture.read(id)).toMatchObject({ state: { status: "expired" } });
  },
);

it("a hold that was claimed in time is not changed and is in no index", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold({ text: `${fixture.tenant} said` });
  await fixture.complete(hold);
  expect(await rowsWith(WAITING)).toEqual([]);
  testEnv.advance(15 * MINUTE);
  await sweepHolds();
  expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "sent" } });
});

it("either a sweep or a completion gets the message at the last moment, and its content is removed", async () => {
  for (const before of [1, 0]) {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold({ text: `${fixture.tenant} said` });
    const answer = await fixture.solvedAnswer(hold);
    testEnv.advance(hold.expiresAt - testEnv.now() - before);
    // A sweep whose clock is a little ahead.
    const ahead = testEnv.now() + SECOND;
    const [done] = await Promise.all([
      fixture.answer(answer),
      expireHolds(holds(), ahead),
      expireHolds(holds(), ahead),
    ]);
    const sent = "state" in done && done.state.status === "sent";
    expect(fixture.calls).toHaveLength(sent ? 1 : 0);
    expect(await fixture.read(hold.id)).toMatchObject({ state: { status: sent ? "sent" : "expired" } });
    const storedHolds = (await rowsWith(`${fixture.tenant} said`)).filter((PK) => PK.startsWith("H#"));
    expect(storedHolds).toEqual([]);
  }
});

it("erasing a conversation removes its waiting holds from the table and the index", async () => {
  const fixture = await openHoldFixture(testEnv);
  await fixture.newHold({ text: `${fixture.tenant} said` });
  const { tenant, conversation: conversationId, caller } = fixture;
  await eraseConversation(
    fixture.apiPorts(),
    { tenant, conversationId, author: { caller, ip: null }, now: testEnv.now(), time: testEnv },
    () => true,
  );
  expect(await rowsWith(`${fixture.tenant} said`)).toEqual([]);
  testEnv.advance(15 * MINUTE);
  await sweepHolds();
  expect(await rowsWith(WAITING)).toEqual([]);
});
