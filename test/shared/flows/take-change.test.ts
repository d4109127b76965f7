import { GetCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { messageView } from "../../../functions/routes/shapes.ts";
import { conversationId } from "../../../shared/domain/conversations.ts";
import { eventId } from "../../../shared/domain/events.ts";
import { listMessages, openConversation, readMessage } from "../../../shared/flows/read-inbox.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { conversationStore } from "../../../shared/table/conversations.ts";
import { AWAITED_MAX } from "../../../shared/table/early-changes.ts";
import { headKey } from "../../../shared/table/keys.ts";
import { messageStore } from "../../../shared/table/messages.ts";
import { newTenant, PERSON } from "../table/support/samples.ts";
import { dataOf, edited, feedOf, type Happening, ingestOf, reacted, said, toldIn, unsent } from "./support/changes.ts";
import { type House, type Lane, openHouse } from "./support/house.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

let tenant: TenantId;
let account: string;
let conversation: string;
let at: number;
beforeEach(async () => {
  tenant = newTenant();
  account = await house.connect(tenant);
  conversation = conversationId({
    tenant,
    account: { platform: "instagram", externalId: account },
    participantId: PERSON,
  });
  at = house.now() - MINUTE;
});

const take = async (...happenings: Happening[]) => {
  const { announcements } = await ingestOf(house.ingestPorts(lane), account, happenings, house.now());
  return toldIn(house, tenant, announcements);
};
const head = () => conversationStore(house.table).get(tenant, conversation, house.now());
const read = (messageId: string) =>
  readMessage({ messages: messageStore(house.table) }, tenant, { messageId, includeTest: false }, house.now());
const inboxPorts = () => ({ conversations: conversationStore(house.table), messages: messageStore(house.table) });

/** The texts that each way of reading shows, which must be the same. */
async function shown(): Promise<string[]> {
  const page = { before: null, limit: 50, includeTest: false };
  const now = house.now();
  const opened = await openConversation(inboxPorts(), tenant, { ...page, conversationId: conversation }, now);
  const lists = await Promise.all(
    [null, conversation].map((conversationId) =>
      listMessages(inboxPorts(), tenant, { ...page, conversationId, direction: null }, now),
    ),
  );
  const pages = [isRefusal(opened) ? null : opened.page, ...lists].flatMap((page) =>
    page === null || isRefusal(page) ? [] : [page],
  );
  const texts = pages.map(({ rows }) => rows.map(({ message }) => messageView(message).text));
  for (const each of texts) expect(each).toEqual(texts[0]);
  return texts[0] ?? [];
}

describe("an unsent message", () => {
  it("is gone from every read, and is announced once", async () => {
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
    await take(said("m1", "first", at), said("m2", "secret", at + 1));
    const before = await head();
    await take(unsent("m2", at + 2));
    expect(await head()).toEqual({ ...before, lastMessageText: "" });
    expect(await shown()).toEqual(["first"]);
  });

  it("is in no event any more, nor is what it was edited to", async () => {
    const [received] = await take(said("m1", "secret", at));
    const edits = await take(edited("m1", "secret 1", 1, at + 1), edited("m1", "secret 2", 2, at + 2));
    expect([received, ...edits].map((event) => event?.body?.includes("secret"))).toEqual([true, true, true]);
    await take(unsent("m1", at + 3));
    expect(JSON.stringify(await everything())).not.toContain("secret");
  });

  it("does not come back with its webhook, hours or days later", async () => {
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
    const told = await take(unsent("m1", at + 1));
    expect(told.map(({ type }) => type)).toEqual(["message.deleted"]);
    expect(await head()).toBeNull();
    expect(await take(said("m1", "secret", at))).toEqual([]);
    expect(await shown()).toEqual([]);
    expect(await read("m1")).toEqual({ refused: "message_not_found" });

    const other = newTenant();
    const theirs = await house.connect(other);
    const ports = house.ingestPorts(lane);
    for (const each of [said("m1", "secret", at), unsent("m1", at + 1)]) {
      await ingestOf(ports, theirs, [each], house.now());
    }
    const inOrder = await conversationStore(house.table).get(
      other,
      conversationId({ tenant: other, account: { platform: "instagram", externalId: theirs }, participantId: PERSON }),
      house.now(),
    );
    expect(await head()).toEqual({ ...inOrder, id: conversation, ref: (await head())?.ref });
    expect(await head()).toMatchObject({ lastMessageText: "", lastInboundAt: at, lastAt: at });
    expect(await rawHead()).not.toHaveProperty("aw");
    for (let i = 0; i < 2; i++) expect(await take(said("m1", "secret", at))).toEqual([]);
  });

  it("of the account's own is gone as well", async () => {
    await take(said("m1", "hello", at), said("m2", "our secret", at + 1, { ours: true }));
    const told = await take(unsent("m2", at + 2, { ours: true }));
    expect(told.map((event) => dataOf(event).message)).toMatchObject([{ id: "m2", conversation_id: conversation }]);
    expect(await shown()).toEqual(["hello"]);
    expect(await head()).toMatchObject({ lastMessageText: "", lastDirection: "echo", lastOutboundAt: at + 1 });
    expect(await take(said("m2", "our secret", at + 1, { ours: true }))).toEqual([]);
    expect(await shown()).toEqual(["hello"]);
  });

  it("is found before the index knows of it, and among more rows than one page", async () => {
    await take(...Array.from({ length: 120 }, (_, i) => said(`n${i}`, "x", at + i)), said("m1", "secret", at + 5));
    const ports = house.ingestPorts(lane);
    const blind = { ...ports, messageChanges: { ...ports.messageChanges, find: async () => null } };
    await ingestOf(blind, account, [unsent("m1", at + 200)], house.now());
    expect((await feedOf(house, tenant)).map(({ id }) => id)).not.toContain("m1");
    expect(await read("m1")).toEqual({ refused: "message_not_found" });
    expect(await rawHead()).not.toHaveProperty("aw");
  });

  it("takes no page away from those that are left", async () => {
    await take(...Array.from({ length: 6 }, (_, i) => said(`m${i}`, `${i}`, at + i)));
    await take(...[1, 2, 4, 5].map((i) => unsent(`m${i}`, at + 10)));
    const texts: string[] = [];
    let before: string | null = null;
    do {
      const query = { conversationId: conversation, before, limit: 2, includeTest: false, direction: null };
      const page = await listMessages(inboxPorts(), tenant, query, house.now());
      if (isRefusal(page)) throw new Error("The conversation is not found.");
      texts.push(...page.rows.map(({ message }) => message.text));
      before = page.next;
    } while (before !== null);
    expect(texts).toEqual(["3", "0"]);
  });

  it("that never comes costs the conversation's head little, however many there are", async () => {
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

describe("an edited message", () => {
  it("shows its newest text everywhere, while its first event stays what it was", async () => {
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
    await take(said("m1", "one", at), said("m2", "two", at + 1));
    const before = await head();
    await take(edited("m1", "one!", 1, at + 2));
    expect(await shown()).toEqual(["two", "one!"]);
    expect(await head()).toEqual(before);
  });

  it("waits for its message, and is told of at once", async () => {
    const told = await take(edited("m1", "two", 2, at + 2), edited("m1", "one", 1, at + 1));
    expect(told.map(({ type }) => type)).toEqual(["message.edited", "message.edited"]);
    const [received] = await take(said("m1", "zero", at));
    expect((dataOf(received ?? fail()).message as { text: string }).text).toBe("zero");
    expect(await shown()).toEqual(["two"]);
    expect((await head())?.lastMessageText).toBe("two");
    expect(await rawHead()).not.toHaveProperty("aw");
  });

  it.each(["before", "after"])("is not told of once it was unsent, which came %s the message", async (when) => {
    if (when === "after") await take(said("m1", "zero", at));
    await take(unsent("m1", at + 5));
    expect(await take(edited("m1", "late", 1, at + 1))).toEqual([]);
    expect(await take(said("m1", "zero", at), edited("m1", "late", 1, at + 1))).toEqual([]);
    expect(await shown()).toEqual([]);
    expect((await head())?.lastMessageText).toBe("");
    expect(JSON.stringify(await everything())).not.toContain("late");
  });
});

describe("a reaction", () => {
  it("is told of once for each time it is given or taken back, and leaves nothing else", async () => {
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
    expect(await take(change(house.now() - 7 * DAY))).toEqual([]);
    expect(await everything()).toEqual([]);
    expect(await take(change(house.now() - 7 * DAY + 1))).toHaveLength(1);
  });

  it("of an account that is connected nowhere is counted, whatever it says", async () => {
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
    const [first] = await take(reacted("m1", "react", at));
    const body = JSON.parse(first?.body ?? "{}") as { id: string; created_at: string };
    expect(body.id).toBe(eventId(first?.ulid ?? ""));
    expect(body.created_at).toBe(new Date(house.now()).toISOString());
  });
});

async function rawHead(): Promise<Record<string, unknown>> {
  const { Item } = await house.table.client.send(
    new GetCommand({ TableName: house.table.name, Key: headKey(conversation), ConsistentRead: true }),
  );
  return Item ?? {};
}

/** Every item of the tenant's conversations and of their events. */
async function everything(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await house.table.client.send(
    new ScanCommand({ TableName: house.table.name, ConsistentRead: true }),
  );
  const mine = new RegExp(`#${tenant}(#|$)`);
  return Items.filter(({ PK }) => mine.test(PK as string) && /^(CONV|E)#/.test(PK as string));
}

function fail(): never {
  throw new Error("Nothing was announced.");
}
