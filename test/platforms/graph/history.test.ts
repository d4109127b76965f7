import { expect, test } from "vitest";
import { toThreadMessage } from "#platforms/graph/history.ts";
import { instagramDialect } from "#platforms/instagram/instagram.ts";
import { messengerDialect } from "#platforms/messenger/messenger.ts";
import { parseUpdates, toWebhookBody } from "#platforms/platforms.ts";

const account = { platform: "instagram", externalId: "17841405793187218", pageId: null } as const;
const PERSON = "6543210987654321";
const inbound = {
  id: "aWdfZAG1faXRlbToxOk",
  created_time: "2026-11-22T09:30:05+0000",
  from: { username: "ada", id: PERSON },
  to: { data: [{ username: "shop", id: account.externalId }] },
  message: "",
};

/** What the parser of webhooks reads of a message of the history. */
function parse(message: object) {
  const threadMessage = toThreadMessage([instagramDialect, messengerDialect], account, { ...inbound, ...message });
  return threadMessage && parseUpdates(toWebhookBody(account, [threadMessage]), 0)[0];
}

test("a message of the history is read as its webhook is", () => {
  expect(parse({ message: "hello", reply_to: { mid: "m0" } })).toEqual({
    kind: "message",
    account: { platform: "instagram", externalId: account.externalId },
    participantId: PERSON,
    at: Date.parse("2026-11-22T09:30:05Z"),
    messageId: inbound.id,
    form: "message",
    text: "hello",
    attachments: [],
    replyTo: "m0",
    echo: null,
  });
});

test("a message of the history of the account is an echo to the person", () => {
  const sides = { from: { id: account.externalId }, to: { data: [{ id: PERSON }] } };
  expect(parse({ ...sides, message: "hi" })).toMatchObject({ participantId: PERSON, echo: { appId: null } });
});

test.each<[object, object]>([
  [{ image_data: { url: "https://cdn.example/a.jpg" } }, { type: "image", url: "https://cdn.example/a.jpg" }],
  [
    { image_data: { url: "https://cdn.example/a.png", render_as_sticker: true } },
    { type: "sticker", url: "https://cdn.example/a.png" },
  ],
  [{ video_data: { url: "https://cdn.example/a.mp4" } }, { type: "video", url: "https://cdn.example/a.mp4" }],
  [
    { file_url: "https://cdn.example/a", mime_type: "audio/mp4" },
    { type: "audio", url: "https://cdn.example/a" },
  ],
  [
    { file_url: "https://cdn.example/a.pdf", mime_type: "application/pdf" },
    { type: "file", url: "https://cdn.example/a.pdf" },
  ],
  [{ file_url: "javascript:alert(1)" }, { type: "file", url: null }],
  [{}, { type: "unsupported", url: null }],
])("a message of the history with %j has the attachment %j", (attachment, expected) => {
  expect(parse({ attachments: { data: [attachment] } })).toMatchObject({ attachments: [expected] });
});

test("a message of the history has its story, its shared links and its sticker", () => {
  const link = "https://www.instagram.com/p/1";
  expect(parse({ story: { mention: { id: "1", link } } })).toMatchObject({
    attachments: [{ type: "story_mention", url: link }],
  });
  expect(parse({ message: "nice", story: { reply_to: { id: "1", link } } })).toMatchObject({
    context: { repliedStory: { id: "1", url: link } },
  });
  expect(parse({ sticker: link, shares: { data: [{ link }, { link: `${link}2`, name: "Post" }] } })).toMatchObject({
    attachments: [
      { type: "sticker", url: link },
      { type: "share", url: `${link}2`, title: "Post" },
    ],
  });
});

test("a message of the history without content is unsupported", () => {
  expect(parse({})).toMatchObject({ form: "unsupported" });
  expect(parse({ message: "?", is_unsupported: true })).toMatchObject({ form: "unsupported" });
});

test.each<object>([
  { id: undefined },
  { id: "x".repeat(600) },
  { created_time: undefined },
  { created_time: "today" },
  { created_time: 1_700_000_000 },
  { from: undefined },
  { from: { id: "1#2" } },
  { from: { id: "1".repeat(100) } },
  { to: undefined },
  { to: { data: {} } },
  { to: { data: [{ id: "another account" }] } },
  { from: { id: account.externalId }, to: { data: [{ id: account.externalId }] } },
])("a message of the history with %j is skipped", (changes) => {
  expect(parse(changes)).toBeNull();
});
