import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventId } from "../../../../shared/domain/events/events.ts";
import { DAY, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { headKey } from "../../../../shared/stores/keys.ts";
import { type ChangeScene, openChangeScene } from "../support/change-scene.ts";
import { dataOf, edited, feedOf, ingestOf, reacted, said, unsent } from "../support/changes.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";

let house: House;
let lane: Lane;
let scene: ChangeScene;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());
beforeEach(async () => {
  scene = await openChangeScene(house, lane);
});

describe("a reaction", () => {
  it("is told of once for each time it is given or taken back, and leaves nothing else", async () => {
    const { tenant, account, conversation, at, take, head } = scene;
    await take(said("m1", "hello", at));
    const before = [await head(), await feedOf(house, tenant)];
    const happenings = [
      reacted("m1", "react", at + 1),
      reacted("m1", "unreact", at + 2),
      reacted("m1", "react", at + 3),
    ];
    const told = await take(...happenings, ...happenings);
    expect(told.map(dataOf)).toEqual(
      [
        { action: "react", reaction: "love", emoji: "❤️" },
        { action: "unreact", reaction: null, emoji: null },
        { action: "react", reaction: "love", emoji: "❤️" },
      ].map((reaction) => ({
        message: {
          id: "m1",
          conversation_id: conversation,
          account_key: `instagram#${account}`,
          platform: "instagram",
        },
        reaction,
      })),
    );
    expect(new Set(told.map(({ ulid }) => ulid)).size).toBe(3);
    expect([await head(), await feedOf(house, tenant)]).toEqual(before);
    house.turn(MINUTE);
    expect((await take(...happenings)).map(({ ulid }) => ulid)).toEqual(told.map(({ ulid }) => ulid));
  });

  it("makes no conversation", async () => {
    const { at, take, head, rawHead } = scene;
    expect((await take(reacted("m1", "react", at))).map(({ type }) => type)).toEqual(["message.reaction"]);
    expect(await head()).toBeNull();
    expect(await rawHead()).toEqual({});
  });
});

describe("any change", () => {
  const changes = [
    ["an unsending", (at: number) => unsent("m1", at)],
    ["an edit", (at: number) => edited("m1", "new", 1, at)],
    ["a reaction", (at: number) => reacted("m1", "react", at)],
  ] as const;

  it.each(changes)("from before its conversation was erased leaves nothing: %s", async (_name, change) => {
    const { conversation, take, everything } = scene;
    const erasedAt = house.now() - SECOND;
    const key = headKey(conversation);
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: key,
        UpdateExpression: "SET ea = :ea",
        ExpressionAttributeValues: { ":ea": erasedAt },
      }),
    );
    expect(await take(change(erasedAt))).toEqual([]);
    expect(await everything()).toEqual([{ ...key, ea: erasedAt }]);
    expect(await take(change(erasedAt + 1))).toHaveLength(1);
  });

  it.each(changes)("older than anything that is kept leaves nothing: %s", async (_name, change) => {
    const { take, everything } = scene;
    expect(await take(change(house.now() - 7 * DAY))).toEqual([]);
    expect(await everything()).toEqual([]);
    expect(await take(change(house.now() - 7 * DAY + 1))).toHaveLength(1);
  });

  it("of an account that is connected nowhere is counted, whatever it says", async () => {
    const { at } = scene;
    const before = house.lines.length;
    await ingestOf(
      house.ingestPorts(lane),
      "nobody",
      [said("m", "x", at), unsent("m", at), edited("m", "y", 1, at), reacted("m", "react", at)],
      house.now(),
    );
    expect(house.lines.slice(before)).toEqual([{ event: "unknown_account", platform: "instagram", updates: 4 }]);
  });

  it("has the time of its first intake in its event's id", async () => {
    const { at, take } = scene;
    const [first] = await take(reacted("m1", "react", at));
    const body = JSON.parse(first?.body ?? "{}") as { id: string; created_at: string };
    expect(body.id).toBe(eventId(first?.ulid ?? ""));
    expect(body.created_at).toBe(new Date(house.now()).toISOString());
  });
});
