import { describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso, SECOND } from "#base/kernel/time.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import { openChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { editEvent, eventData, textEvent, unsendEvent } from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
const fixture = openedEach(() => openChangeFixture(testEnv, queues));

describe("an edited message", () => {
  it("shows its newest text everywhere, and its first event stays unchanged", async () => {
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
    "ends at the highest edit count and publishes each edit once: %j",
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

  it("does not change the head when a newer message is there", async () => {
    const { at, ingest: take, head, shownTexts } = fixture;
    await take(textEvent("m1", "one", at), textEvent("m2", "two", at + 1));
    const before = await head();
    await take(editEvent("m1", "one!", 1, at + 2));
    expect(await shownTexts()).toEqual(["two", "one!"]);
    expect(await head()).toEqual(before);
  });

  it("is published at once and applied when its message arrives", async () => {
    const { at, ingest: take, head, rawHead, shownTexts } = fixture;
    const events = await take(editEvent("m1", "two", 2, at + 2), editEvent("m1", "one", 1, at + 1));
    expect(events.map(({ type }) => type)).toEqual(["message.edited", "message.edited"]);
    const [received] = await take(textEvent("m1", "zero", at));
    expect((eventData(received ?? fail()).message as { text: string }).text).toBe("zero");
    expect(await shownTexts()).toEqual(["two"]);
    expect((await head())?.lastMessageText).toBe("two");
    expect(await rawHead()).not.toHaveProperty("aw");
  });

  it.each(["before", "after"])("is not published after an unsend that arrived %s the message", async (when) => {
    const { at, ingest: take, head, shownTexts, tenantItems: everything } = fixture;
    if (when === "after") await take(textEvent("m1", "zero", at));
    await take(unsendEvent("m1", at + 5));
    expect(await take(editEvent("m1", "late", 1, at + 1))).toEqual([]);
    expect(await take(textEvent("m1", "zero", at), editEvent("m1", "late", 1, at + 1))).toEqual([]);
    expect(await shownTexts()).toEqual([]);
    expect((await head())?.lastMessageText).toBe("");
    expect(JSON.stringify(await everything())).not.toContain("late");
  });
});

function fail(): never {
  throw new Error("No event was published.");
}
