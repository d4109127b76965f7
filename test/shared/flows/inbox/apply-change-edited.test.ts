import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { messageView } from "../../../../functions/routes/responses.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { type ChangeScene, openChangeScene } from "../support/change-scene.ts";
import { dataOf, edited, said, unsent } from "../support/changes.ts";
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

describe("an edited message", () => {
  it("shows its newest text everywhere, while its first event stays what it was", async () => {
    const { account, conversation, at, take, head, read, shown } = scene;
    const [received] = await take(said("m1", "helo", at));
    const told = await take(edited("m1", "hello", 1, at + 1));
    expect(told.map(({ type }) => type)).toEqual(["message.edited"]);
    expect(told.map(dataOf)).toEqual([
      {
        message: {
          id: "m1",
          conversation_id: conversation,
          account_key: `instagram#${account}`,
          platform: "instagram",
          text: "hello",
          edit_count: 1,
        },
      },
    ]);
    expect(await shown()).toEqual(["hello"]);
    const found = await read("m1");
    expect(isRefusal(found) ? null : messageView(found).text).toBe("hello");
    expect((await head())?.lastMessageText).toBe("hello");

    // Its webhook comes again, as a retry would render it again.
    const [again] = await take(said("m1", "helo", at));
    expect(again?.body).toBe(received?.body);
    expect(again?.ulid).toBe(received?.ulid);
    expect((await head())?.lastMessageText).toBe("hello");
    expect(await shown()).toEqual(["hello"]);
  });

  it.each([[[1, 2, 3]], [[3, 2, 1]], [[2, 3, 1, 2]]])(
    "ends at the highest count, and tells of each edit once: %j",
    async (counts) => {
      const { at, take, head, shown } = scene;
      await take(said("m1", "zero", at));
      const ulids = new Set<string>();
      for (const count of counts) {
        for (const { ulid } of await take(edited("m1", `text ${count}`, count, at + count))) ulids.add(ulid);
        house.turn(SECOND);
      }
      expect(ulids.size).toBe(3);
      expect(await shown()).toEqual(["text 3"]);
      expect((await head())?.lastMessageText).toBe("text 3");
    },
  );

  it("leaves the head alone when a newer message stands there", async () => {
    const { at, take, head, shown } = scene;
    await take(said("m1", "one", at), said("m2", "two", at + 1));
    const before = await head();
    await take(edited("m1", "one!", 1, at + 2));
    expect(await shown()).toEqual(["two", "one!"]);
    expect(await head()).toEqual(before);
  });

  it("waits for its message, and is told of at once", async () => {
    const { at, take, head, rawHead, shown } = scene;
    const told = await take(edited("m1", "two", 2, at + 2), edited("m1", "one", 1, at + 1));
    expect(told.map(({ type }) => type)).toEqual(["message.edited", "message.edited"]);
    const [received] = await take(said("m1", "zero", at));
    expect((dataOf(received ?? fail()).message as { text: string }).text).toBe("zero");
    expect(await shown()).toEqual(["two"]);
    expect((await head())?.lastMessageText).toBe("two");
    expect(await rawHead()).not.toHaveProperty("aw");
  });

  it.each(["before", "after"])("is not told of once it was unsent, which came %s the message", async (when) => {
    const { at, take, head, shown, everything } = scene;
    if (when === "after") await take(said("m1", "zero", at));
    await take(unsent("m1", at + 5));
    expect(await take(edited("m1", "late", 1, at + 1))).toEqual([]);
    expect(await take(said("m1", "zero", at), edited("m1", "late", 1, at + 1))).toEqual([]);
    expect(await shown()).toEqual([]);
    expect((await head())?.lastMessageText).toBe("");
    expect(JSON.stringify(await everything())).not.toContain("late");
  });
});

function fail(): never {
  throw new Error("Nothing was announced.");
}
