import { expect, it } from "vitest";
import { eventId } from "#base/events/events.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, iso, MINUTE, SECOND } from "#base/kernel/time.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { useChangeFixture } from "../../../../support/flows/change-fixture.ts";
import {
  editEvent,
  eventData,
  ingestEvents,
  listFeed,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { setAttributes } from "../../../../support/stores/items.ts";

const { testEnv, queues, fixture } = useChangeFixture();

it("a reaction is published once each time it is added or removed, and changes nothing but the message's reactions", async () => {
  const { tenant, account, conversation, at, ingest: take, head } = fixture;
  await take(textEvent("m1", "hello", at));
  const [headBefore, feedBefore] = [await head(), await listFeed(testEnv, tenant)];
  const platformEvents = [
    reactionEvent("m1", "react", at + 1),
    reactionEvent("m1", "unreact", at + 2),
    reactionEvent("m1", "react", at + 3),
  ];
  const events = await take(...platformEvents, ...platformEvents);
  expect(events.map(eventData)).toEqual(
    [
      { action: "react", reaction: "love", emoji: "❤️", at: iso(at + 1) },
      { action: "unreact", reaction: null, emoji: null, at: iso(at + 2) },
      { action: "react", reaction: "love", emoji: "❤️", at: iso(at + 3) },
    ].map((reaction) => ({
      message: {
        id: "m1",
        conversation_id: conversation,
        account_key: `instagram#${account}`,
        platform: "instagram",
      },
      reaction,
      by: "participant",
    })),
  );
  expect(new Set(events.map(({ ulid }) => ulid)).size).toBe(3);
  const lastReactions = [{ by: "participant", at: at + 3, content: { reaction: "love", emoji: "❤️" } }];
  expect(await head()).toEqual(headBefore);
  expect(await listFeed(testEnv, tenant)).toEqual(feedBefore.map((message) => ({ ...message, lastReactions })));
  testEnv.advance(MINUTE);
  expect((await take(...platformEvents)).map(({ ulid }) => ulid)).toEqual(events.map(({ ulid }) => ulid));
});

it("a reaction creates no conversation", async () => {
  const { at, ingest: take, head, rawHead } = fixture;
  expect((await take(reactionEvent("m1", "react", at))).map(({ type }) => type)).toEqual(["message.reaction"]);
  expect(await head()).toBeNull();
  // Only the name of the message that the reaction waits for.
  expect(Object.keys(await rawHead()).sort()).toEqual(["PK", "SK", "aw", "x"]);
});

const changes = [
  ["an unsending", (at: number) => unsendEvent("m1", at)],
  ["an edit", (at: number) => editEvent("m1", "new", 1, at)],
  ["a reaction", (at: number) => reactionEvent("m1", "react", at)],
] as const;

it.each(changes)("any change from before an erasure of its conversation stores nothing: %s", async (_name, change) => {
  const { conversation, ingest: take, tenantItems: everything } = fixture;
  const erasedAt = testEnv.now() - SECOND;
  const key = headKey(conversation);
  await setAttributes(testEnv.table, key, { ea: erasedAt });
  expect(await take(change(erasedAt))).toEqual([]);
  expect(await everything()).toEqual([{ ...key, ea: erasedAt }]);
  expect(await take(change(erasedAt + 1))).toHaveLength(1);
});

it.each(changes)("any change older than the retention stores nothing: %s", async (_name, change) => {
  const { ingest: take, tenantItems: everything } = fixture;
  expect(await take(change(testEnv.now() - 7 * DAY))).toEqual([]);
  expect(await everything()).toEqual([]);
  expect(await take(change(testEnv.now() - 7 * DAY + 1))).toHaveLength(1);
});

it("any change of an account that is not connected is counted", async () => {
  const { at } = fixture;
  const before = testEnv.lines.length;
  await ingestEvents(
    testEnv.ingestPorts(queues),
    "unknown",
    [textEvent("m", "x", at), unsendEvent("m", at), editEvent("m", "y", 1, at), reactionEvent("m", "react", at)],
    testEnv.now(),
  );
  expect(testEnv.lines.slice(before)).toEqual([{ event: "account.unknown", platform: "instagram", updates: 4 }]);
});

it("any change has the time of its first intake in its event's id", async () => {
  const { at, ingest: take } = fixture;
  const [first] = await take(reactionEvent("m1", "react", at));
  const body = JSON.parse(first?.body ?? "{}") as { id: string; created_at: string };
  expect(body.id).toBe(eventId(first?.ulid ?? ""));
  expect(body.created_at).toBe(new Date(testEnv.now()).toISOString());
});

it("an edited message shows its newest text everywhere, and its first event stays unchanged", async () => {
  const { account, conversation, at, ingest: take, head, read, shownTexts } = fixture;
  const [received] = await take(textEvent("m1", "helo", at));
  const events = await take(editEvent("m1", "hello", 1, at + 1));
  expect(events.map(({ type }) => type)).toEqual(["message.edited"]);
  expect(events.map(eventData)).toEqual([
    {
      message: {
        id: "m1",
        conversation_id: conversation,
        account_key: `instagram#${account}`,
        platform: "instagram",
        text: "hello",
        text_truncated: false,
        edit_count: 1,
        edited_at: iso(at + 1),
      },
      by: "participant",
    },
  ]);
  expect(await shownTexts()).toEqual(["hello"]);
  const stored = await read("m1");
  expect(isRefusal(stored) ? null : toMessageResponse(stored)).toMatchObject({
    text: "hello",
    edited_at: iso(at + 1),
  });
  expect((await head())?.lastMessageText).toBe("hello");

  // The webhook is redelivered, so the event is rendered again.
  const [again] = await take(textEvent("m1", "helo", at));
  expect(again?.body).toBe(received?.body);
  expect(again?.ulid).toBe(received?.ulid);
  expect((await head())?.lastMessageText).toBe("hello");
  expect(await shownTexts()).toEqual(["hello"]);
});

it.each([[[1, 2, 3]], [[3, 2, 1]], [[2, 3, 1, 2]]])(
  "an edited message ends at the highest edit count and publishes each edit once: %j",
  async (counts) => {
    const { at, ingest: take, head, shownTexts } = fixture;
    await take(textEvent("m1", "zero", at));
    const ulids = new Set<string>();
    for (const count of counts) {
      for (const { ulid } of await take(editEvent("m1", `text ${count}`, count, at + count))) ulids.add(ulid);
      testEnv.advance(SECOND);
    }
    expect(ulids.size).toBe(3);
    expect(await shownTexts()).toEqual(["text 3"]);
    expect((await head())?.lastMessageText).toBe("text 3");
  },
);

it("an edited message does not change the head when a newer message is there", async () => {
  const { at, ingest: take, head, shownTexts } = fixture;
  await take(textEvent("m1", "one", at), textEvent("m2", "two", at + 1));
  const before = await head();
  await take(editEvent("m1", "one!", 1, at + 2));
  expect(await shownTexts()).toEqual(["two", "one!"]);
  expect(await head()).toEqual(before);
});

it("an edited message is published at once and applied when its message arrives", async () => {
  const { at, ingest: take, head, rawHead, shownTexts } = fixture;
  const events = await take(editEvent("m1", "two", 2, at + 2), editEvent("m1", "one", 1, at + 1));
  expect(events.map(({ type }) => type)).toEqual(["message.edited", "message.edited"]);
  const [received] = await take(textEvent("m1", "zero", at));
  expect((eventData(received ?? fail()).message as { text: string }).text).toBe("zero");
  expect(await shownTexts()).toEqual(["two"]);
  expect((await head())?.lastMessageText).toBe("two");
  expect(await rawHead()).not.toHaveProperty("aw");
});

it.each(["before", "after"])("an edit is not published after an unsend that arrived %s the message", async (when) => {
  const { at, ingest: take, head, shownTexts, tenantItems: everything } = fixture;
  if (when === "after") await take(textEvent("m1", "zero", at));
  await take(unsendEvent("m1", at + 5));
  expect(await take(editEvent("m1", "late", 1, at + 1))).toEqual([]);
  expect(await take(textEvent("m1", "zero", at), editEvent("m1", "late", 1, at + 1))).toEqual([]);
  expect(await shownTexts()).toEqual([]);
  expect((await head())?.lastMessageText).toBe("");
  expect(JSON.stringify(await everything())).not.toContain("late");
});

function fail(): never {
  throw new Error("No event was published.");
}
