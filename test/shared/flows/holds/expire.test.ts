import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { table as names } from "../../../../shared/config/names.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import { completeHold } from "../../../../shared/flows/holds/complete.ts";
import { endOverdueHolds } from "../../../../shared/flows/holds/expire.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { WAITING_HOLDS } from "../../../../shared/stores/keys.ts";
import { openHoldScene } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

// Nobody looks at any of these holds until a sweep has passed.

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const holds = () => ({ holds: house.apiPorts({ events: "", deliveries: "" }).holds });
const sweep = () => endOverdueHolds(holds(), house.now());

/** What the row of a hold that waits says. */
const WAITING = `"F":"${WAITING_HOLDS}"`;

/** Where the table, or the index of what waits, says something. */
async function rowsWith(text: string): Promise<string[]> {
  const { name: TableName, client } = house.table;
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

describe("a held message that nobody checks", () => {
  it.each([{ text: "nobody's words" }, { text: null, attachments: [{ type: "image", url: "https://cdn.example/x" }] }])(
    "leaves the table with the first sweep after its time, and not before: %o",
    async (content) => {
      const scene = await openHoldScene(house);
      const mark = `${scene.tenant} said`;
      const said = content.text
        ? { text: mark }
        : { text: null, attachments: [{ type: "image" as const, url: `https://cdn.example/${scene.tenant}` }] };
      const words = content.text ? mark : `https://cdn.example/${scene.tenant}`;
      const { id, expiresAt } = await scene.hold(said);
      house.turn(expiresAt - house.now() - 1);
      await sweep();
      expect(await rowsWith(words)).toEqual([`H#${id}`, `H#${id}`]);
      house.turn(1);
      await sweep();
      expect(await rowsWith(words)).toEqual([]);
      expect(await rowsWith(WAITING)).toEqual([]);
      expect(await scene.read(id)).toMatchObject({ state: { status: "expired" }, hold: { content: null } });
      expect(await scene.complete({ id, conversationId: "", createdAt: 0, expiresAt })).toMatchObject({
        refused: "hold_ran_out",
      });
    },
  );

  it("is ended though others cannot be, which are ended by the next sweep", async () => {
    const scene = await openHoldScene(house);
    const made = [];
    for (let i = 0; i < 20; i++) made.push(await scene.hold());
    house.turn(15 * MINUTE);
    const { holds: real } = holds();
    const sick = made.slice(0, 9).map(({ id }) => id);
    const endByTime: typeof real.endByTime = (hold, now) =>
      sick.includes(hold.id) ? Promise.reject(new Error("no table")) : real.endByTime(hold, now);
    await expect(endOverdueHolds({ holds: { ...real, endByTime } }, house.now())).rejects.toThrow("no table");
    expect(new Set(await rowsWith(WAITING))).toEqual(new Set(sick.map((id) => `H#${id}`)));
    await sweep();
    expect(await rowsWith(WAITING)).toEqual([]);
  });

  it("is left to the next sweep when the time of this one is up", async () => {
    const scene = await openHoldScene(house);
    await scene.hold({ text: `${scene.tenant} said` });
    house.turn(15 * MINUTE);
    await endOverdueHolds(holds(), house.now(), () => false);
    expect(await rowsWith(`${scene.tenant} said`)).toHaveLength(2);
    await sweep();
    expect(await rowsWith(`${scene.tenant} said`)).toEqual([]);
  });

  it.each(strikes)("is ended by a sweep that is struck (%s) at any call and comes again", async (strike) => {
    for (let k = 0; ; k++) {
      const scene = await openHoldScene(house);
      const { id } = await scene.hold({ text: `${scene.tenant} said` });
      house.turn(15 * MINUTE);
      const struck = strikeAt(house.clients, strike, k);
      await sweep().catch(() => {});
      struck.end();
      house.turn(MINUTE);
      await sweep();
      expect(await rowsWith(`${scene.tenant} said`)).toEqual([]);
      expect(await scene.read(id)).toMatchObject({ state: { status: "expired" } });
      if (!struck.reached()) return;
    }
  });
});

it("a hold that was claimed in time is left as it is, and waits nowhere", async () => {
  const scene = await openHoldScene(house);
  const made = await scene.hold({ text: `${scene.tenant} said` });
  await scene.complete(made);
  expect(await rowsWith(WAITING)).toEqual([]);
  house.turn(15 * MINUTE);
  await sweep();
  expect(await scene.read(made.id)).toMatchObject({ state: { status: "sent" } });
});

it("of a sweep and a completion at the last moment one alone takes the message, and none of it is left", async () => {
  for (const before of [1, 0]) {
    const scene = await openHoldScene(house);
    const made = await scene.hold({ text: `${scene.tenant} said` });
    const answer = await scene.rightAnswer(made);
    house.turn(made.expiresAt - house.now() - before);
    // A sweep whose clock is a little ahead.
    const ahead = house.now() + SECOND;
    const [done] = await Promise.all([
      completeHold(scene.checkPorts(), answer, house.now),
      endOverdueHolds(holds(), ahead),
      endOverdueHolds(holds(), ahead),
    ]);
    const sent = "state" in done && done.state.status === "sent";
    expect(scene.calls).toHaveLength(sent ? 1 : 0);
    expect(await scene.read(made.id)).toMatchObject({ state: { status: sent ? "sent" : "expired" } });
    const kept = (await rowsWith(`${scene.tenant} said`)).filter((PK) => PK.startsWith("H#"));
    expect(kept).toEqual([]);
  }
});

it("an erased conversation leaves none of its waiting holds, in the table or the index", async () => {
  const scene = await openHoldScene(house);
  await scene.hold({ text: `${scene.tenant} said` });
  const request = { conversationId: scene.conversation, caller: scene.caller, ip: null };
  await eraseConversation(scene.apiPorts(), scene.tenant, request, () => true, house.now());
  expect(await rowsWith(`${scene.tenant} said`)).toEqual([]);
  house.turn(15 * MINUTE);
  await sweep();
  expect(await rowsWith(WAITING)).toEqual([]);
});
