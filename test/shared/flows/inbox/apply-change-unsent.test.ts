import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listMessages } from "../../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR, SECOND } from "../../../../shared/kernel/time.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { AWAITED_MAX } from "../../../../shared/stores/inbox/pending-changes.ts";
import { type ChangeScene, openChangeScene } from "../support/change-scene.ts";
import { dataOf, edited, feedOf, ingestOf, said, unsent } from "../support/changes.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

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

describe("an unsent message", () => {
  it("is gone from every read, and is announced once", async () => {
    const { account, conversation, at, take, head, read, shown } = scene;
    const [received] = await take(said("m1", "first", at), said("m2", "secret", at + 1));
    const told = await take(unsent("m1", at + 2));
    expect(told.map(({ type }) => type)).toEqual(["message.deleted"]);
    expect(told.map(dataOf)).toEqual([
      {
        message: {
          id: "m1",
          conversation_id: conversation,
          account_key: `instagram#${account}`,
          platform: "instagram",
        },
      },
    ]);
    expect(received?.body).toContain("first");
    expect(await shown()).toEqual(["secret"]);
    expect(await read("m1")).toEqual({ refused: "message_not_found" });
    expect((await head())?.lastMessageText).toBe("secret");

    house.turn(HOUR);
    const again = await take(unsent("m1", at + 2));
    expect(again.map(({ ulid }) => ulid)).toEqual(told.map(({ ulid }) => ulid));
    expect(again.map(({ body }) => body)).toEqual(told.map(({ body }) => body));
    expect(again.every(({ repeated }) => repeated)).toBe(true);
  });

  it("leaves no text at the head when it was the newest, and all else of the head as it was", async () => {
    const { at, take, head, shown } = scene;
    await take(said("m1", "first", at), said("m2", "secret", at + 1));
    const before = await head();
    await take(unsent("m2", at + 2));
    expect(await head()).toEqual({ ...before, lastMessageText: "" });
    expect(await shown()).toEqual(["first"]);
  });

  it("is in no event any more, nor is what it was edited to", async () => {
    const { at, take, everything } = scene;
    const [received] = await take(said("m1", "secret", at));
    const edits = await take(edited("m1", "secret 1", 1, at + 1), edited("m1", "secret 2", 2, at + 2));
    expect([received, ...edits].map((event) => event?.body?.includes("secret"))).toEqual([true, true, true]);
    await take(unsent("m1", at + 3));
    expect(JSON.stringify(await everything())).not.toContain("secret");
  });

  it("does not come back with its webhook, hours or days later", async () => {
    const { tenant, at, take, head } = scene;
    await take(said("m1", "secret", at));
    await take(unsent("m1", at + 1));
    for (const wait of [0, HOUR, 6 * DAY]) {
      house.turn(wait);
      expect(await take(said("m1", "secret", at))).toEqual([]);
      expect(await feedOf(house, tenant)).toEqual([]);
      expect((await head())?.lastMessageText).toBe("");
    }
  });

  it("is not told of when it was unsent before it came, yet opens the window as it would have", async () => {
    const { conversation, at, take, head, rawHead, read, shown } = scene;
    const told = await take(unsent("m1", at + 1));
    expect(told.map(({ type }) => type)).toEqual(["message.deleted"]);
    expect(await head()).toBeNull();
    expect(await take(said("m1", "secret", at))).toEqual([]);
    expect(await shown()).toEqual([]);
    expect(await read("m1")).toEqual({ refused: "message_not_found" });

    const other = await newConversation(house);
    const ports = house.ingestPorts(lane);
    for (const each of [said("m1", "secret", at), unsent("m1", at + 1)]) {
      await ingestOf(ports, other.account, [each], house.now());
    }
    const inOrder = await conversationStore(house.table).get(other.tenant, other.conversation, house.now());
    expect(await head()).toEqual({ ...inOrder, id: conversation, ref: (await head())?.ref });
    expect(await head()).toMatchObject({ lastMessageText: "", lastInboundAt: at, lastAt: at });
    expect(await rawHead()).not.toHaveProperty("aw");
    for (let i = 0; i < 2; i++) expect(await take(said("m1", "secret", at))).toEqual([]);
  });

  it("of the account's own is gone as well", async () => {
    const { conversation, at, take, head, shown } = scene;
    await take(said("m1", "hello", at), said("m2", "our secret", at + 1, { ours: true }));
    const told = await take(unsent("m2", at + 2, { ours: true }));
    expect(told.map((event) => dataOf(event).message)).toMatchObject([{ id: "m2", conversation_id: conversation }]);
    expect(await shown()).toEqual(["hello"]);
    expect(await head()).toMatchObject({ lastMessageText: "", lastDirection: "echo", lastOutboundAt: at + 1 });
    expect(await take(said("m2", "our secret", at + 1, { ours: true }))).toEqual([]);
    expect(await shown()).toEqual(["hello"]);
  });

  it("is found before the index knows of it, and among more rows than one page", async () => {
    const { tenant, account, at, take, rawHead, read } = scene;
    await take(...Array.from({ length: 120 }, (_, i) => said(`n${i}`, "x", at + i)), said("m1", "secret", at + 5));
    const ports = house.ingestPorts(lane);
    const blind = { ...ports, messageChanges: { ...ports.messageChanges, find: async () => null } };
    await ingestOf(blind, account, [unsent("m1", at + 200)], house.now());
    expect((await feedOf(house, tenant)).map(({ id }) => id)).not.toContain("m1");
    expect(await read("m1")).toEqual({ refused: "message_not_found" });
    expect(await rawHead()).not.toHaveProperty("aw");
  });

  it("takes no page away from those that are left", async () => {
    const { tenant, conversation, at, inboxPorts, take } = scene;
    await take(...Array.from({ length: 6 }, (_, i) => said(`m${i}`, `${i}`, at + i)));
    await take(...[1, 2, 4, 5].map((i) => unsent(`m${i}`, at + 10)));
    const texts: string[] = [];
    let before: string | null = null;
    do {
      const query = { conversationId: conversation, before, limit: 2, includeTest: false, direction: null };
      const page = await listMessages(inboxPorts, tenant, query, house.now());
      if (isRefusal(page)) throw new Error("The conversation is not found.");
      texts.push(...page.rows.map(({ message }) => message.text));
      before = page.next;
    } while (before !== null);
    expect(texts).toEqual(["3", "0"]);
  });

  it("that never comes costs the conversation's head little, however many there are", async () => {
    const { at, take, rawHead, shown } = scene;
    await take(said("m0", "hello", at));
    for (let i = 0; i < AWAITED_MAX * 2; i++) {
      house.turn(SECOND);
      await take(unsent(`old${i}`, at));
    }
    const marks = (await rawHead()).aw as Set<string>;
    expect(marks.size).toBeLessThanOrEqual(AWAITED_MAX);
    // The newest are kept.
    expect(await take(said(`old${AWAITED_MAX * 2 - 1}`, "secret", at))).toEqual([]);
    expect(await shown()).toEqual(["hello"]);
  });
});
