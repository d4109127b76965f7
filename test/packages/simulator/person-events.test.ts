import { describe, expect, test } from "vitest";
import { type Fields, firstEvent, isEcho, startTestSimulator, startWebhookReceiver } from "./simulator-fixture.ts";

async function startWithEvents() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const sendPersonEvent = async (account: "login" | "messenger", fields: Fields): Promise<Fields> => {
    const before = hook.got.length;
    await simulator.personSends(account, { text: undefined, ...fields });
    const one = hook.got[before];
    if (one === undefined) throw new Error("no webhook was posted");
    return firstEvent(one);
  };
  return { hook, simulator, happens: sendPersonEvent };
}

test("a text, a quick reply and a reply", async () => {
  const { happens: sendPersonEvent } = await startWithEvents();
  const first = await sendPersonEvent("login", { text: "Hello" });
  expect(first).toEqual({
    sender: { id: expect.stringMatching(/^\d{17}$/) },
    recipient: { id: "17841405793187218" },
    timestamp: expect.any(Number),
    message: { mid: expect.any(String), text: "Hello" },
  });
  const reply = await sendPersonEvent("login", { text: "More", reply_to: first.message.mid });
  expect(reply.message.reply_to).toEqual({ mid: first.message.mid });
  expect((await sendPersonEvent("login", { kind: "quick_reply", text: "Yes" })).message).toMatchObject({
    text: "Yes",
    quick_reply: { payload: "QUICK_REPLY" },
  });
});

test("pictures: a sample picture of the simulator, or the given ones", async () => {
  const { happens: sendPersonEvent } = await startWithEvents();
  const ownImage = await sendPersonEvent("login", { kind: "image" });
  const { url } = ownImage.message.attachments[0].payload;
  const picture = await fetch(url);
  expect(picture.headers.get("Content-Type")).toBe("image/png");
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  const attachments = [1, 2].map((n) => ({ type: "image", url: `https://files.example/${n}.jpg` }));
  expect((await sendPersonEvent("messenger", { attachments: attachments })).message.attachments).toEqual(
    attachments.map(({ type, url: at }) => ({ type, payload: { url: at } })),
  );
});

test("a quick reply's and a button's payload, an ad's referral, and titles", async () => {
  const { happens: sendPersonEvent } = await startWithEvents();
  const quick = await sendPersonEvent("login", { kind: "quick_reply", text: "Yes", payload: "SIZE_38" });
  expect(quick.message.quick_reply).toEqual({ payload: "SIZE_38" });
  const button = await sendPersonEvent("messenger", { kind: "postback", text: "Menu", payload: "MENU" });
  expect(button.postback).toMatchObject({ title: "Menu", payload: "MENU" });
  const ad = await sendPersonEvent("login", { kind: "ad_message", ad_id: "4711" });
  expect(ad.message.referral).toEqual({ ref: "autumn-ad", source: "ADS", type: "OPEN_THREAD", ad_id: "4711" });
  const referral = await sendPersonEvent("messenger", { kind: "referral", text: "spring", ad_id: "4712" });
  expect(referral.referral).toEqual({ ref: "spring", source: "ADS", type: "OPEN_THREAD", ad_id: "4712" });
  for (const account of ["login", "messenger"] as const) {
    const post = await sendPersonEvent(account, { kind: "shared_post" });
    expect(post.message.attachments[0].payload).toMatchObject({ title: "Autumn collection", url: expect.any(String) });
    const like = await sendPersonEvent(account, { kind: "like" });
    expect(like.message.attachments).toHaveLength(1);
  }
});

test("the account's own reaction and unsend have the account as sender", async () => {
  const { hook, simulator, happens: sendPersonEvent } = await startWithEvents();
  const { sender, recipient, message } = await sendPersonEvent("login", { text: "Hello" });
  const fromAccount = { sender: recipient, recipient: sender };
  expect(await sendPersonEvent("login", { kind: "reaction", by_account: true })).toMatchObject({
    ...fromAccount,
    reaction: { mid: message.mid, action: "react" },
  });
  const { body } = await simulator.sendToPerson("login", sender.id);
  await hook.waitForWebhooks(1, isEcho);
  expect(await sendPersonEvent("login", { kind: "unsend", by_account: true })).toMatchObject({
    ...fromAccount,
    message: { mid: body.message_id, is_deleted: true, is_echo: true },
  });
});

describe("events of one platform only", () => {
  test.each([
    ["story_reply", { reply_to: { story: { id: expect.any(String), url: expect.any(String) } } }],
    ["story_mention", { attachments: [{ type: "story_mention" }] }],
    ["view_once", { attachments: [{ type: "ephemeral" }] }],
    ["sticker", { attachments: [{ type: "like_heart" }] }],
  ])("Instagram: %s", async (kind, message) => {
    const { happens: sendPersonEvent } = await startWithEvents();
    expect((await sendPersonEvent("login", { kind })).message).toMatchObject(message);
    if (kind !== "sticker") await expect(sendPersonEvent("messenger", { kind })).rejects.toThrow(/on Instagram only/);
  });

  test.each([
    ["location", { attachments: [{ type: "location", payload: { coordinates: { lat: 55.6761 } } }] }],
    ["sticker", { attachments: [{ type: "sticker", payload: { sticker_id: expect.any(Number) } }] }],
  ])("Messenger: %s", async (kind, message) => {
    const { happens: sendPersonEvent } = await startWithEvents();
    expect((await sendPersonEvent("messenger", { kind })).message).toMatchObject(message);
    if (kind !== "sticker") await expect(sendPersonEvent("login", { kind })).rejects.toThrow(/on Messenger only/);
  });
});

test("a reaction and its removal name the message", async () => {
  const { hook, simulator, happens: sendPersonEvent } = await startWithEvents();
  const { sender } = await sendPersonEvent("login", { text: "Hello" });
  const { body } = await simulator.sendToPerson("login", sender.id);
  await hook.waitForWebhooks(1, isEcho);
  expect((await sendPersonEvent("login", { kind: "reaction" })).reaction).toEqual({
    mid: body.message_id,
    action: "react",
    reaction: "love",
    emoji: "❤️",
  });
  const back = await sendPersonEvent("login", { kind: "reaction", mid: body.message_id, emoji: "" });
  expect(back.reaction).toEqual({ mid: body.message_id, action: "unreact" });
});

test("an edit increments the count, edit noise has neither text nor count, an unsend empties the message", async () => {
  const { simulator, happens: sendPersonEvent } = await startWithEvents();
  const { message } = await sendPersonEvent("login", { text: "Hello" });
  const { mid } = message;
  expect((await sendPersonEvent("login", { kind: "edit_noise" })).message_edit).toEqual({ mid, num_edit: 0 });
  expect((await sendPersonEvent("login", { kind: "edit", text: "Hi" })).message_edit).toEqual({
    mid,
    text: "Hi",
    num_edit: 1,
  });
  expect((await sendPersonEvent("login", { kind: "edit", text: "Ho" })).message_edit).toMatchObject({ num_edit: 2 });
  expect((await sendPersonEvent("login", { kind: "unsend" })).message).toEqual({ mid, is_deleted: true });
  const { threads } = (await simulator.get("/_sim/state")).body;
  expect(threads[0].messages).toMatchObject([{ mid, text: null, deleted: true, edits: 2 }]);
});

test("reads differ between the platforms; postbacks and referrals are the same", async () => {
  const { hook, simulator, happens: sendPersonEvent } = await startWithEvents();
  const { sender } = await sendPersonEvent("login", { text: "Hello" });
  const { body } = await simulator.sendToPerson("login", sender.id);
  await hook.waitForWebhooks(1, isEcho);
  expect((await sendPersonEvent("login", { kind: "read" })).read).toEqual({ mid: body.message_id });
  const read = await sendPersonEvent("messenger", { kind: "read" });
  expect(read.read).toEqual({ watermark: read.timestamp });
  expect((await sendPersonEvent("messenger", { kind: "postback" })).postback).toEqual({
    mid: expect.stringMatching(/^m_/),
    title: "Get started",
    payload: "GET_STARTED",
  });
  const { referral } = await sendPersonEvent("login", { kind: "referral", text: "poster" });
  expect(referral).toEqual({ ref: "poster", source: "SHORTLINK", type: "OPEN_THREAD" });
});
