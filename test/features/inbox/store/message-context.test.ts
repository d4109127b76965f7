import { beforeAll, beforeEach, expect, test } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, sendWrite } from "#base/table/writes.ts";
import { type Attachment, isTextTruncated, type MessageContext } from "#features/inbox/rules/messages.ts";
import { messageFeed, messageIdIndex, messageKey, messagePosition } from "#features/inbox/store/items.ts";
import { type MessageChanges, messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { type Messages, messageStore } from "#features/inbox/store/messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { queryItems } from "../../../support/stores/items.ts";
import { NOW, newTenant, PERSON, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

let messages: Messages;
let changes: MessageChanges;
let tenant: TenantId;
const table = openedOnce(startTestTable);
beforeAll(async () => {
  const handle = { client: table.client, name: table.tableName };
  messages = messageStore(handle);
  changes = messageChangeStore(handle);
});
beforeEach(() => {
  tenant = newTenant();
});

const CDN = "https://cdn.example/a.jpg";
const contexts: [string, MessageContext][] = [
  ["a story", { repliedStory: { id: "17900000000000001", url: CDN } }],
  ["a story without a URL", { repliedStory: { id: "17900000000000001", url: null } }],
  ["a quick reply", { quickReply: { payload: "YES" } }],
  ["a quick reply with an empty payload", { quickReply: { payload: "" } }],
  ["a postback", { postback: { payload: "START" } }],
  ["a postback without a payload", { postback: { payload: null } }],
  ["a referral", { referral: { ref: "r", source: "ADS", type: "OPEN_THREAD", adId: "1" } }],
  ["a part of a referral", { referral: { ref: null, source: "ADS", type: null, adId: null } }],
  [
    "everything",
    {
      repliedStory: { id: null, url: CDN },
      quickReply: { payload: "YES" },
      postback: { payload: "START" },
      referral: { ref: "r", source: null, type: null, adId: null },
    },
  ],
];
const attachments: Attachment[] = [
  { type: "image", url: CDN },
  { type: "share", url: CDN, title: "A post" },
  { type: "location", url: null, coordinates: { lat: 55.6761, long: -12.5683 } },
  { type: "location", url: null, title: "Here", coordinates: { lat: 0, long: 180 } },
];

test.each(contexts)("the context of a message with %s is read as it was stored", async (_what, context) => {
  const message = sampleMessage(tenant, { id: "m1", context, attachments });
  const { ref } = await messages.record(tenant, message, NOW);
  expect(await messages.getById(tenant, "m1", NOW)).toEqual(message);
  expect([...(await messages.getByRefs(tenant, [ref])).values()]).toEqual([message]);
  const page = { direction: null, includeTest: false, before: null, limit: 50, now: NOW };
  const lists = [
    await messages.feed(tenant, page),
    await messages.listByConversation(tenant, { ...page, conversationId: sampleConversationId(tenant) }),
  ];
  for (const { rows } of lists) expect(rows.map((row) => row.message)).toEqual([message]);
});

test.each(contexts)("the context of a message with %s is gone once the message is unsent", async (_what, context) => {
  const replyTo = "m0";
  const message = sampleMessage(tenant, { id: "m1", text: "hi", context, attachments, replyTo });
  const { ref } = await messages.record(tenant, message, NOW);
  const unsent = await changes.unsend(tenant, ref, { at: NOW + 1 });
  expect(unsent).toMatchObject({ text: "", attachments: [], replyTo: null });
  expect(unsent).not.toHaveProperty("context");
  const repeated = await messages.record(tenant, message, NOW);
  expect(repeated.message).not.toHaveProperty("context");
});

test("the context of a message is null for a row that the version before stored", async () => {
  const conversationId = sampleConversationId(tenant);
  const position = messagePosition(NOW, "m_old");
  const item = {
    ...messageKey(conversationId, position),
    F: messageFeed(tenant, "live", 0),
    G: position,
    i: messageIdIndex(tenant, "m_old"),
    d: "inbound",
    t: "hello",
    a: [
      ["image", CDN],
      ["location", null],
    ],
    v: "participant",
    r: "m_older",
    e: "01M7ZAN532EXK1AXB5KNF0MAZV",
    u: "ada.lind",
    s: NOW,
    x: timeToLive(NOW + 1),
  };
  await sendWrite({ client: table.client, name: table.tableName }, put(item));
  expect(await messages.getById(tenant, "m_old", NOW)).toEqual({
    id: "m_old",
    conversationId,
    account: { platform: "instagram", externalId: "17841400000000001" },
    participant: { id: PERSON, handle: "ada.lind", username: "ada.lind", name: null },
    direction: "inbound",
    text: "hello",
    attachments: [
      { type: "image", url: CDN },
      { type: "location", url: null },
    ],
    sentAt: NOW,
    sentVia: "participant",
    actorId: null,
    replyTo: "m_older",
    scope: "live",
    eventUlid: "01M7ZAN532EXK1AXB5KNF0MAZV",
  });
});

test("a text that was cut is read so, until an edit replaces it or the message is unsent", async () => {
  const message = sampleMessage(tenant, { id: "m1", text: "a", isTextTruncated: true });
  const { ref } = await messages.record(tenant, message, NOW);
  const stored = async () => (await messages.getById(tenant, "m1", NOW)) ?? expect.unreachable();
  expect(await stored()).toEqual(message);
  expect(isTextTruncated(await stored())).toBe(true);
  await changes.edit(tenant, ref, { text: "b", count: 1, at: NOW + 1 });
  expect(isTextTruncated(await stored())).toBe(false);
  await changes.edit(tenant, ref, { text: "c", isTextTruncated: true, count: 2, at: NOW + 2 });
  expect(isTextTruncated(await stored())).toBe(true);
  await changes.edit(tenant, ref, { text: "d", count: 3, at: NOW + 3 });
  expect(isTextTruncated(await stored())).toBe(false);
  await changes.edit(tenant, ref, { text: "e", isTextTruncated: true, count: 4, at: NOW + 4 });
  await changes.unsend(tenant, ref, { at: NOW + 5 });
  expect(isTextTruncated(await stored())).toBe(false);
  const [row] = await queryItems({ client: table.client, name: table.tableName }, ref.conversationId, "M#");
  expect(row).not.toHaveProperty("tt");
  expect(row).not.toHaveProperty("ex");
});
