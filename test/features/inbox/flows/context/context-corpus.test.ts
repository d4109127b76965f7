import { describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso, MINUTE, type Millis } from "#base/kernel/time.ts";
import { getMessage, listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import { type ChangeFixture, openChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { drainErasures, runErasure } from "../../../../support/flows/data-subject.ts";
import { eventData, type PlatformEvent, type PublishedEvent } from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";

// Payloads in every shape that brings context, on both platforms, with their changes in several orders. `canary` stands
// for everything that must be gone after an unsend or an erasure.

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

const URL = "https://cdn.example/canary.jpg";
const none = { reply_to: null, story: null, quick_reply: null, postback: null, referral: null, attachments: [] };
const referral = { ref: "canary", source: "ADS", type: "OPEN_THREAD", ad_id: "canary-ad" };
const attachment = (type: string, rest: object = {}) => ({ type, url: URL, title: null, coordinates: null, ...rest });

interface Shape {
  readonly name: string;
  readonly content: (mid: string) => object;
  readonly expected: object;
}

const message =
  (rest: object) =>
  (mid: string): object => ({ message: { mid, text: "canary text", ...rest } });
const withAttachment = (name: string, sent: object, expected: object): Shape => ({
  name,
  content: message({ attachments: [sent] }),
  expected: { attachments: [expected] },
});

const sharedShapes: Shape[] = [
  { name: "a text", content: message({}), expected: {} },
  {
    name: "a quick reply",
    content: message({ quick_reply: { payload: "canary" } }),
    expected: { quick_reply: { payload: "canary" } },
  },
  {
    name: "an inline reply",
    content: message({ reply_to: { mid: "canary mid" } }),
    expected: { reply_to: "canary mid" },
  },
  { name: "a referral inside", content: message({ referral }), expected: { referral } },
  { name: "a referral beside", content: (mid) => ({ ...message({})(mid), referral }), expected: { referral } },
  {
    name: "a button with a referral",
    content: (mid) => ({ message: null, postback: { mid, title: "canary text", payload: "canary", referral } }),
    expected: { postback: { title: "canary text", payload: "canary" }, referral },
  },
  {
    name: "a button without a payload",
    content: (mid) => ({ postback: { mid, title: "canary text" } }),
    expected: { postback: { title: "canary text", payload: null } },
  },
  withAttachment("an image", { type: "image", payload: { url: URL } }, attachment("image")),
  withAttachment(
    "a shared post",
    { type: "ig_post", payload: { url: URL, title: "canary" } },
    attachment("share", { title: "canary" }),
  ),
  withAttachment(
    "a template",
    { type: "template", payload: { generic: { elements: [{ title: "canary" }] } } },
    attachment("share", { url: null, title: "canary" }),
  ),
];

const shapesByPlatform = {
  instagram: [
    ...sharedShapes,
    {
      name: "a story reply",
      content: message({ reply_to: { story: { id: "canary", url: URL } } }),
      expected: { story: { id: "canary", url: URL, kind: "reply" } },
    },
    {
      name: "a story mention",
      content: message({ attachments: [{ type: "story_mention", payload: { url: URL } }] }),
      expected: { story: { id: null, url: URL, kind: "mention" }, attachments: [attachment("story_mention")] },
    },
  ],
  messenger: [
    ...sharedShapes,
    withAttachment(
      "a location",
      { type: "location", title: "canary", payload: { coordinates: { lat: 55.6761, long: -12.5683 } } },
      attachment("location", { url: null, title: "canary", coordinates: { lat: 55.6761, long: -12.5683 } }),
    ),
    withAttachment(
      "a link",
      { type: "fallback", title: "canary", url: URL, payload: null },
      attachment("share", { title: "canary" }),
    ),
  ],
} as const;

const cases = (["instagram", "messenger"] as const).flatMap((platform) =>
  shapesByPlatform[platform].map((shape) => ({ platform, shape, name: shape.name })),
);

const MID = "m_1";
const reactionContent = { reaction: { mid: MID, action: "react", reaction: "other", emoji: "canary" } };
const steps = {
  message: (shape: Shape, at: Millis): PlatformEvent => ({ at, content: shape.content(MID) }),
  reaction: (_shape: Shape, at: Millis): PlatformEvent => ({ at: at + 1, content: reactionContent }),
  accountReaction: (_shape: Shape, at: Millis): PlatformEvent => ({
    at: at + 2,
    fromAccount: true,
    content: reactionContent,
  }),
  edit: (_shape: Shape, at: Millis): PlatformEvent => ({
    at: at + 3,
    content: { message_edit: { mid: MID, text: "canary edit", num_edit: 1 } },
  }),
  unsend: (_shape: Shape, at: Millis): PlatformEvent => ({
    at: at + 4,
    content: { message: { mid: MID, is_deleted: true } },
  }),
};
type Step = keyof typeof steps;

const changeOrders: readonly Step[][] = [
  ["message", "reaction", "accountReaction", "edit"],
  ["edit", "accountReaction", "reaction", "message"],
  ["reaction", "message", "edit", "accountReaction"],
];
const unsendOrders: readonly Step[][] = [
  ["message", "reaction", "accountReaction", "edit", "unsend"],
  ["unsend", "message", "edit", "reaction", "accountReaction"],
  ["reaction", "edit", "unsend", "accountReaction", "message"],
];

async function ingestSteps(fixture: ChangeFixture, shape: Shape, order: readonly Step[]): Promise<PublishedEvent[]> {
  const published: PublishedEvent[] = [];
  for (const step of order) published.push(...(await fixture.ingest(steps[step](shape, fixture.at))));
  return published;
}

/** The message as each read of the API shows it. */
async function readEverywhere({ tenant, conversation, inboxPorts }: ChangeFixture) {
  const page = { before: null, limit: 50, includeTest: false };
  const now = testEnv.now();
  const byId = await getMessage(inboxPorts, tenant, { messageId: MID, includeTest: false }, now);
  const detail = await readConversation(inboxPorts, tenant, { ...page, conversationId: conversation }, now);
  const lists = await Promise.all(
    [null, conversation].map((conversationId) =>
      listMessages(inboxPorts, tenant, { ...page, conversationId, direction: null }, now),
    ),
  );
  if (isRefusal(byId) || isRefusal(detail)) throw new Error("The message is not found.");
  const pages = [detail.page, ...lists].flatMap((list) => (isRefusal(list) ? [] : [list]));
  expect(pages.map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
  return [byId, ...pages.flatMap(({ rows }) => rows.map(({ message: stored }) => stored))].map(toMessageResponse);
}

describe.each(cases)("$name on $platform", ({ platform, shape }) => {
  it("a message is read and published with its context, in any order of its changes", async () => {
    for (const order of changeOrders) {
      const fixture = await openChangeFixture(testEnv, queues, platform);
      const { account, conversation, at } = fixture;
      const published = await ingestSteps(fixture, shape, order);
      const identity = { id: MID, conversation_id: conversation, account_key: `${platform}#${account}`, platform };
      const expected = { ...identity, ...none, direction: "inbound", ...shape.expected };
      const reaction = { reaction: "other", emoji: "canary" };
      for (const shown of await readEverywhere(fixture)) {
        expect(shown).toMatchObject({ ...expected, text: "canary edit", edited_at: iso(at + 3), deleted_at: null });
        expect(shown.reactions).toEqual([
          { by: "participant", ...reaction, at: iso(at + 1) },
          { by: "account", ...reaction, at: iso(at + 2) },
        ]);
      }
      const received = published.find(({ type }) => type === "message.received");
      const first = { ...expected, text: "canary text", edited_at: null, deleted_at: null, reactions: [] };
      expect(received && eventData(received).message).toMatchObject(first);
      // A replay renders the event again.
      const [replayed] = await fixture.ingest(steps.message(shape, at));
      expect(replayed?.body).toBe(received?.body);
      expect(published.map(({ type }) => type).sort()).toEqual([
        "message.edited",
        "message.reaction",
        "message.reaction",
        "message.received",
      ]);
      expect(published.flatMap((event) => eventData(event).by ?? []).sort()).toEqual([
        "account",
        "participant",
        "participant",
      ]);
    }
  });

  it("a message leaves nothing but its empty row once it is unsent, in any order", async () => {
    for (const order of unsendOrders) {
      const fixture = await openChangeFixture(testEnv, queues, platform);
      await ingestSteps(fixture, shape, order);
      for (const repeated of order) await fixture.ingest(steps[repeated](shape, fixture.at));
      expect(JSON.stringify(await fixture.tenantItems()), order.join()).not.toContain("canary");
      await fixture.expectUnsent(MID);
      const shown = await readEverywhere(fixture);
      expect(new Set(shown.map((response) => JSON.stringify(response))).size).toBe(1);
    }
  });

  it("a message is gone after an erasure, and no repeated webhook brings anything back", async () => {
    const fixture = await openChangeFixture(testEnv, queues, platform);
    const { tenant, conversation } = fixture;
    const order: Step[] = ["accountReaction", "message", "edit", "reaction"];
    await ingestSteps(fixture, shape, order);
    expect(JSON.stringify(await fixture.tenantItems())).toContain("canary");
    const erasureQueues = await testEnv.newQueues();
    testEnv.advance(MINUTE);
    await runErasure(testEnv, erasureQueues, { tenant, conversation });
    for (const step of order) await fixture.ingest(steps[step](shape, fixture.at));
    await drainErasures(testEnv, erasureQueues);
    for (const step of order) await fixture.ingest(steps[step](shape, fixture.at));
    expect(JSON.stringify(await fixture.tenantItems())).not.toContain("canary");
  });
});
