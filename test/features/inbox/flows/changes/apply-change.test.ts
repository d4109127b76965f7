import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { eventId } from "#base/events/events.ts";
import { DAY, iso, MINUTE, SECOND } from "#base/kernel/time.ts";
import { headKey } from "#features/inbox/store/keys.ts";
import { openChangeFixture } from "../../../../support/flows/change-fixture.ts";
import {
  editEvent,
  eventData,
  ingestEvents,
  listFeed,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
const fixture = openedEach(() => openChangeFixture(testEnv, queues));

describe("a reaction", () => {
  it("is published once each time it is added or removed, and changes nothing but the message's reactions", async () => {
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

  it("creates no conversation", async () => {
    const { at, ingest: take, head, rawHead } = fixture;
    expect((await take(reactionEvent("m1", "react", at))).map(({ type }) => type)).toEqual(["message.reaction"]);
    expect(await head()).toBeNull();
    // Only the name of the message that the reaction waits for.
    expect(Object.keys(await rawHead()).sort()).toEqual(["PK", "SK", "aw", "x"]);
  });
});

describe("any change", () => {
  const changes = [
    ["an unsending", (at: number) => unsendEvent("m1", at)],
    ["an edit", (at: number) => editEvent("m1", "new", 1, at)],
    ["a reaction", (at: number) => reactionEvent("m1", "react", at)],
  ] as const;

  it.each(changes)("from before an erasure of its conversation stores nothing: %s", async (_name, change) => {
    const { conversation, ingest: take, tenantItems: everything } = fixture;
    const erasedAt = testEnv.now() - SECOND;
    const key = headKey(conversation);
    await testEnv.table.client.send(
      new UpdateCommand({
        TableName: testEnv.table.name,
        Key: key,
        UpdateExpression: "SET ea = :ea",
        ExpressionAttributeValues: { ":ea": erasedAt },
      }),
    );
    expect(await take(change(erasedAt))).toEqual([]);
    expect(await everything()).toEqual([{ ...key, ea: erasedAt }]);
    expect(await take(change(erasedAt + 1))).toHaveLength(1);
  });

  it.each(changes)("older than the retention stores nothing: %s", async (_name, change) => {
    const { ingest: take, tenantItems: everything } = fixture;
    expect(await take(change(testEnv.now() - 7 * DAY))).toEqual([]);
    expect(await everything()).toEqual([]);
    expect(await take(change(testEnv.now() - 7 * DAY + 1))).toHaveLength(1);
  });

  it("of an account that is not connected is counted", async () => {
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

  it("has the time of its first intake in its event's id", async () => {
    const { at, ingest: take } = fixture;
    const [first] = await take(reactionEvent("m1", "react", at));
    const body = JSON.parse(first?.body ?? "{}") as { id: string; created_at: string };
    expect(body.id).toBe(eventId(first?.ulid ?? ""));
    expect(body.created_at).toBe(new Date(testEnv.now()).toISOString());
  });
});
