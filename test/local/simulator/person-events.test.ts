import { describe, expect, test } from "vitest";
import { eventOf, type Fields, isEcho, receiver, simulated } from "./support.ts";

async function ready() {
  const hook = await receiver();
  const simulator = await simulated(hook.url);
  const happens = async (account: "login" | "messenger", fields: Fields): Promise<Fields> => {
    const before = hook.got.length;
    await simulator.personSends(account, { text: undefined, ...fields });
    const one = hook.got[before];
    if (one === undefined) throw new Error("no webhook was posted");
    return eventOf(one);
  };
  return { hook, simulator, happens };
}

test("a text, a quick reply and a reply", async () => {
  const { happens } = await ready();
  const first = await happens("login", { text: "Hello" });
  expect(first).toEqual({
    sender: { id: expect.stringMatching(/^\d{17}$/) },
    recipient: { id: "17841405793187218" },
    timestamp: expect.any(Number),
    message: { mid: expect.any(String), text: "Hello" },
  });
  const reply = await happens("login", { text: "More", reply_to: first.message.mid });
  expect(reply.message.reply_to).toEqual({ mid: first.message.mid });
  expect((await happens("login", { kind: "quick_reply", text: "Yes" })).message).toMatchObject({
    text: "Yes",
    quick_reply: { payload: "QUICK_REPLY" },
  });
});

test("pictures: one of the simulator's own, or those given", async () => {
  const { happens } = await ready();
  const own = await happens("login", { kind: "image" });
  const { url } = own.message.attachments[0].payload;
  const picture = await fetch(url);
  expect(picture.headers.get("Content-Type")).toBe("image/png");
  expect(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe("PNG");
  const given = [1, 2].map((n) => ({ type: "image", url: `https://files.example/${n}.jpg` }));
  expect((await happens("messenger", { attachments: given })).message.attachments).toEqual(
    given.map(({ type, url: at }) => ({ type, payload: { url: at } })),
  );
});

describe("what only one platform has", () => {
  test.each([
    ["story_reply", { reply_to: { story: { id: expect.any(String), url: expect.any(String) } } }],
    ["story_mention", { attachments: [{ type: "story_mention" }] }],
    ["view_once", { attachments: [{ type: "ephemeral" }] }],
    ["sticker", { attachments: [{ type: "like_heart" }] }],
  ])("Instagram: %s", async (kind, message) => {
    const { happens } = await ready();
    expect((await happens("login", { kind })).message).toMatchObject(message);
    if (kind !== "sticker") await expect(happens("messenger", { kind })).rejects.toThrow(/on Instagram only/);
  });

  test.each([
    ["location", { attachments: [{ type: "location", payload: { coordinates: { lat: 55.6761 } } }] }],
    ["sticker", { attachments: [{ type: "sticker", payload: { sticker_id: expect.any(Number) } }] }],
  ])("Messenger: %s", async (kind, message) => {
    const { happens } = await ready();
    expect((await happens("messenger", { kind })).message).toMatchObject(message);
    if (kind !== "sticker") await expect(happens("login", { kind })).rejects.toThrow(/on Messenger only/);
  });
});

test("a reaction and its taking back name the message", async () => {
  const { hook, simulator, happens } = await ready();
  const { sender } = await happens("login", { text: "Hello" });
  const { body } = await simulator.send("login", sender.id);
  await hook.until(1, isEcho);
  expect((await happens("login", { kind: "reaction" })).reaction).toEqual({
    mid: body.message_id,
    action: "react",
    reaction: "love",
    emoji: "❤️",
  });
  const back = await happens("login", { kind: "reaction", mid: body.message_id, emoji: "" });
  expect(back.reaction).toEqual({ mid: body.message_id, action: "unreact" });
});

test("an edit counts up, its noise has neither text nor count, an unsend empties the message", async () => {
  const { simulator, happens } = await ready();
  const { message } = await happens("login", { text: "Hello" });
  const { mid } = message;
  expect((await happens("login", { kind: "edit_noise" })).message_edit).toEqual({ mid, num_edit: 0 });
  expect((await happens("login", { kind: "edit", text: "Hi" })).message_edit).toEqual({ mid, text: "Hi", num_edit: 1 });
  expect((await happens("login", { kind: "edit", text: "Ho" })).message_edit).toMatchObject({ num_edit: 2 });
  expect((await happens("login", { kind: "unsend" })).message).toEqual({ mid, is_deleted: true });
  const { threads } = (await simulator.get("/_sim/state")).body;
  expect(threads[0].messages).toMatchObject([{ mid, text: null, deleted: true, edits: 2 }]);
});

test("reads have another shape on each platform; postbacks and referrals the same", async () => {
  const { hook, simulator, happens } = await ready();
  const { sender } = await happens("login", { text: "Hello" });
  const { body } = await simulator.send("login", sender.id);
  await hook.until(1, isEcho);
  expect((await happens("login", { kind: "read" })).read).toEqual({ mid: body.message_id });
  const read = await happens("messenger", { kind: "read" });
  expect(read.read).toEqual({ watermark: read.timestamp });
  expect((await happens("messenger", { kind: "postback" })).postback).toEqual({
    mid: expect.stringMatching(/^m_/),
    title: "Get started",
    payload: "GET_STARTED",
  });
  const { referral } = await happens("login", { kind: "referral", text: "poster" });
  expect(referral).toEqual({ ref: "poster", source: "SHORTLINK", type: "OPEN_THREAD" });
});
