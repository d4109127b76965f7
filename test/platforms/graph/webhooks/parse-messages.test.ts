import { describe, expect, test } from "vitest";
import { parseUpdates } from "#platforms/platforms.ts";
import {
  channels,
  fromAccount,
  MID,
  messageUpdate,
  parseEvent,
  RECEIVED_AT,
  toBytes,
  updateBase,
  webhookBody,
} from "./webhook-payloads.ts";

const CDN = "https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1&signature=ab~c_d";

describe.each(channels)("a message on $platform", (channel) => {
  test("text, with the platform's escapes decoded", () => {
    const raw = JSON.stringify(webhookBody(channel, { message: { mid: MID, text: "TEXT" } }));
    const escaped = toBytes(raw.replace("TEXT", "\\u00e4\\u00f6 \\ud83d\\ude00"));
    expect(parseUpdates(escaped, RECEIVED_AT)).toEqual([messageUpdate(channel, { text: "äö 😀" })]);
  });

  test("a quick reply is its text with its payload", () => {
    const message = { mid: MID, text: "Yes", quick_reply: { payload: "YES" } };
    const context = { quickReply: { payload: "YES" } };
    expect(parseEvent(channel, { message })).toEqual([messageUpdate(channel, { text: "Yes", context })]);
  });

  test("an inline reply has the id of the message it replies to", () => {
    const message = { mid: MID, text: "this one", reply_to: { mid: "m_other", is_self_reply: false } };
    expect(parseEvent(channel, { message })).toEqual([
      messageUpdate(channel, { text: "this one", replyTo: "m_other" }),
    ]);
  });

  test("a story reply is a message without reply_to, with the story", () => {
    const message = { mid: MID, text: "nice", reply_to: { story: { id: "1", url: CDN } } };
    const context = { repliedStory: { id: "1", url: CDN } };
    expect(parseEvent(channel, { message })).toEqual([messageUpdate(channel, { text: "nice", context })]);
  });

  test("several images keep their order and may have a text", () => {
    const message = {
      mid: MID,
      text: "look",
      attachments: [
        { type: "image", payload: { url: `${CDN}&n=1` } },
        { type: "image", payload: { url: `${CDN}&n=2` } },
      ],
    };
    const attachments = [
      { type: "image", url: `${CDN}&n=1` },
      { type: "image", url: `${CDN}&n=2` },
    ];
    expect(parseEvent(channel, { message })).toEqual([messageUpdate(channel, { text: "look", attachments })]);
  });

  test.each<[attachment: object, type: string, url: string | null, rest?: object]>([
    [{ type: "image", payload: { url: CDN } }, "image", CDN],
    [{ type: "video", payload: { url: CDN } }, "video", CDN],
    [{ type: "audio", payload: { url: CDN } }, "audio", CDN],
    [{ type: "file", payload: { url: CDN } }, "file", CDN],
    [{ type: "share", payload: { url: CDN } }, "share", CDN],
    [{ type: "ig_post", payload: { url: CDN, title: "t", ig_post_media_id: "1" } }, "share", CDN, { title: "t" }],
    [{ type: "ig_reel", payload: { url: CDN, title: "t", reel_video_id: "1" } }, "share", CDN, { title: "t" }],
    [{ type: "reel", payload: { url: CDN } }, "share", CDN],
    [{ type: "post", payload: { url: CDN, title: "t", id: "1" } }, "share", CDN, { title: "t" }],
    [{ type: "ig_story", payload: { story_media_id: "1", story_media_url: CDN } }, "share", CDN],
    [{ type: "story", payload: { url: CDN } }, "share", CDN],
    [{ type: "media", payload: { url: CDN } }, "share", CDN],
    [{ type: "template", payload: { generic: [] } }, "share", null],
    [{ type: "template", payload: { generic: [{ title: "t" }] } }, "share", null, { title: "t" }],
    [{ type: "template", payload: { generic: { elements: [{ title: "t" }] } } }, "share", null, { title: "t" }],
    [{ type: "ig_reel", payload: { url: CDN, title: "" } }, "share", CDN],
    [{ type: "fallback", payload: { url: CDN, title: "t" } }, "share", CDN, { title: "t" }],
    [{ type: "fallback", payload: null, title: "t", url: CDN }, "share", CDN, { title: "t" }],
    [{ type: "appointment_booking", payload: { id: 1 } }, "share", null],
    [{ type: "ephemeral" }, "unsupported", null],
    [{ type: "ephemeral", payload: { url: CDN } }, "unsupported", null],
    [{ type: "story_mention", payload: { url: CDN } }, "story_mention", CDN],
    [{ type: "sticker", payload: { url: CDN, sticker_id: 144885145685752 } }, "sticker", CDN],
    [{ type: "image", payload: { url: CDN, sticker_id: 144885145685752 } }, "sticker", CDN],
    [
      { type: "location", title: "Ada's Location", payload: { coordinates: { lat: 48.2, long: -16.4 } } },
      "location",
      null,
      { title: "Ada's Location", coordinates: { lat: 48.2, long: -16.4 } },
    ],
    [
      { type: "location", payload: { url: CDN, coordinates: { lat: "48.123456789", long: 1e-200 } } },
      "location",
      CDN,
      { coordinates: { lat: 48.1234568, long: 0 } },
    ],
    [{ type: "location", payload: { coordinates: { lat: 91, long: 16.4 } } }, "location", null],
    [{ type: "location", payload: { coordinates: { lat: 48.2 } } }, "location", null],
    [{ type: "image", payload: { url: CDN, coordinates: { lat: 1, long: 1 } } }, "image", CDN],
    [{ type: "unsupported_type", payload: { url: CDN } }, "unsupported", null],
    [{ type: "something_new", payload: { url: CDN } }, "unsupported", null],
    [{ type: "constructor" }, "unsupported", null],
    [{ payload: { url: CDN } }, "unsupported", null],
  ])("an attachment %j is %s at %s", (attachment, type, url, rest = {}) => {
    const message = { mid: MID, attachments: [attachment] };
    expect(parseEvent(channel, { message })).toEqual([
      messageUpdate(channel, { attachments: [{ type, url, ...rest }] }),
    ]);
  });

  test.each([
    [{ type: "like_heart" }, null, "❤"],
    [{ type: "sticker", payload: { url: CDN, sticker_id: 369239263222822 } }, CDN, "👍"],
    [{ type: "sticker", payload: { url: CDN, sticker_id: 369239343222814 } }, CDN, "👍"],
    [{ type: "image", payload: { url: CDN, sticker_id: "369239383222810" } }, CDN, "👍"],
  ])("a like %j is a sticker at %s with the text %s", (attachment, url, text) => {
    const message = { mid: MID, attachments: [attachment] };
    expect(parseEvent(channel, { message })).toEqual([
      messageUpdate(channel, { text, attachments: [{ type: "sticker", url }] }),
    ]);
  });

  test("a null member counts as absent", () => {
    const postback = { mid: MID, title: "Get Started", payload: "GO" };
    const expected = messageUpdate(channel, { form: "postback", text: "Get Started" });
    expect(parseEvent(channel, { message: null, postback })).toMatchObject([expected]);
    expect(parseEvent(channel, { message: null, pass_thread_control: {} })).toEqual([
      { kind: "ignored", reason: "handover" },
    ]);
    const { object, entry } = webhookBody(channel, { message: { mid: MID, text: "hi" } });
    const withNulls = { object, entry: entry.map((one) => ({ ...one, standby: null, changes: null })) };
    expect(parseUpdates(toBytes(withNulls), RECEIVED_AT)).toEqual([messageUpdate(channel, { text: "hi" })]);
    const withoutEvents = { object, entry: [{ id: channel.account, time: 1, messaging: null }] };
    expect(parseUpdates(toBytes(withoutEvents), RECEIVED_AT)).toEqual([{ kind: "ignored", reason: "unknown_kind" }]);
  });

  test("an echo has the account as sender, the person as recipient and the sending app", () => {
    const event = (message: object) => ({ ...fromAccount(channel), message: { mid: MID, is_echo: true, ...message } });
    expect(parseEvent(channel, event({ text: "hi" }))).toEqual([
      messageUpdate(channel, { text: "hi", echo: { appId: null, metadata: null } }),
    ]);
    expect(parseEvent(channel, event({ text: "hi", app_id: 1517776481860111, metadata: "snd_1" }))).toEqual([
      messageUpdate(channel, { text: "hi", echo: { appId: "1517776481860111", metadata: "snd_1" } }),
    ]);
    expect(parseEvent(channel, event({ attachments: [{ type: "image", payload: { url: CDN } }] }))).toEqual([
      messageUpdate(channel, { attachments: [{ type: "image", url: CDN }], echo: { appId: null, metadata: null } }),
    ]);
  });

  test("a message from the entry's account is an echo even when it is not marked as one", () => {
    const event = { ...fromAccount(channel), message: { mid: MID, text: "hi" } };
    expect(parseEvent(channel, event)).toEqual([
      messageUpdate(channel, { text: "hi", echo: { appId: null, metadata: null } }),
    ]);
  });

  test.each([
    ["on the message", { message: { mid: MID, text: "me", is_self: true } }],
    ["on the event", { is_self: true, postback: { mid: MID, title: "Start", payload: "GO" } }],
    ["by one id on both sides", { sender: { id: channel.account }, message: { mid: MID, text: "me" } }],
  ])("a self test, marked by %s, is ignored", (_where, event) => {
    expect(parseEvent(channel, event)).toEqual([{ kind: "ignored", reason: "self_test" }]);
  });

  test("an unsent message, of the person or of the account", () => {
    const unsend = (by: string) => [{ kind: "unsend", ...updateBase(channel), messageId: MID, by }];
    expect(parseEvent(channel, { message: { mid: MID, is_deleted: true } })).toEqual(unsend("participant"));
    const unsendByAccount = { ...fromAccount(channel), message: { mid: MID, is_deleted: true, is_echo: true } };
    expect(parseEvent(channel, unsendByAccount)).toEqual(unsend("account"));
  });

  test("a message that the platform does not show has the form unsupported", () => {
    const hidden = messageUpdate(channel, { form: "unsupported", attachments: [{ type: "unsupported", url: null }] });
    expect(parseEvent(channel, { message: { mid: MID, is_unsupported: true } })).toEqual([hidden]);
    expect(parseEvent(channel, { message: { mid: MID } })).toEqual([hidden]);
  });

  test("a postback is a message with the button's title, with or without a referral", () => {
    const postback = { mid: MID, title: "Get Started", payload: "GO" };
    const expected = (context: object) => [
      messageUpdate(channel, {
        form: "postback",
        text: "Get Started",
        context: { postback: { payload: "GO" }, ...context },
      }),
    ];
    expect(parseEvent(channel, { postback })).toEqual(expected({}));
    const referral = { ref: "ad", source: "ADS", type: "OPEN_THREAD" };
    const withReferral = expected({ referral: { ...referral, adId: null } });
    expect(parseEvent(channel, { postback: { ...postback, referral } })).toEqual(withReferral);
    expect(parseEvent(channel, { postback, referral })).toEqual(withReferral);
  });

  test("a postback without an id gets a unique one that is the same on redelivery", () => {
    const idOf = (event: object) => {
      const [update] = parseEvent(channel, event);
      return update?.kind === "message" ? update.messageId : null;
    };
    const postback = { title: "Go", payload: "GO" };
    const id = idOf({ postback });
    expect(id).toMatch(/^postback_[\w-]{22}$/);
    expect(idOf({ postback: { ...postback } })).toBe(id);
    const others = [
      idOf({ postback: { ...postback, payload: "STOP" } }),
      idOf({ postback, timestamp: 1_793_000_000_124 }),
      idOf({ postback, sender: { id: "42" } }),
      idOf({ postback, recipient: { id: "43" } }),
    ];
    expect(new Set([id, ...others]).size).toBe(5);
  });

  test("a message in standby is read as any other message", () => {
    const raw = toBytes(webhookBody(channel, { message: { mid: MID, text: "hello" } }, "standby"));
    expect(parseUpdates(raw, RECEIVED_AT)).toEqual([messageUpdate(channel, { text: "hello" })]);
  });

  test("a message with a referral inside is one update", () => {
    const referral = { source: "ADS", type: "OPEN_THREAD", ad_id: 23851 };
    const context = { referral: { ref: null, source: "ADS", type: "OPEN_THREAD", adId: "23851" } };
    const expected = [messageUpdate(channel, { text: "hi", context })];
    expect(parseEvent(channel, { message: { mid: MID, text: "hi", referral } })).toEqual(expected);
    expect(parseEvent(channel, { message: { mid: MID, text: "hi" }, referral })).toEqual(expected);
  });
});

describe("bounds", () => {
  const [channel] = channels;
  const textFor = (text: string) => {
    const [update] = parseEvent(channel, { message: { mid: MID, text } });
    return update?.kind === "message" ? update.text : null;
  };
  const attachmentsFor = (attachments: unknown) => {
    const [update] = parseEvent(channel, { message: { mid: MID, text: "x", attachments } });
    return update?.kind === "message" ? update.attachments : null;
  };

  test("a text has at most 20,000 characters and no split character", () => {
    expect(textFor("a".repeat(20_000))).toHaveLength(20_000);
    expect(textFor("a".repeat(20_001))).toHaveLength(20_000);
    expect(textFor(`${"a".repeat(19_999)}😀`)).toBe("a".repeat(19_999));
    expect(textFor("\ud83d alone")).toBe("\ufffd alone");
  });

  test("a text that was cut says so, and no other does", () => {
    const isTruncated = (event: object) => {
      const [update] = parseEvent(channel, event);
      return update?.kind === "message" || update?.kind === "edit" ? update.isTextTruncated : null;
    };
    for (const [length, expected] of [
      [20_000, undefined],
      [20_001, true],
    ] as const) {
      const text = "a".repeat(length);
      expect(isTruncated({ message: { mid: MID, text } })).toBe(expected);
      expect(isTruncated({ message_edit: { mid: MID, text, num_edit: 1 } })).toBe(expected);
      expect(isTruncated({ postback: { mid: MID, title: text, payload: "P" } })).toBe(expected);
    }
    expect(isTruncated({ message: { mid: MID, text: "\u0001".repeat(10_001) } })).toBe(true);
    expect(isTruncated({ message: { mid: MID, text: "\ud83d alone" } })).toBeUndefined();
  });

  test("a text has at most 60,000 bytes of JSON", () => {
    expect(textFor("€".repeat(20_000))).toBe("€".repeat(20_000));
    expect(textFor("\u0001".repeat(10_001))).toBe("\u0001".repeat(10_000));
    expect(textFor(`${"\u0001".repeat(9_999)}aaaa€`)).toBe(`${"\u0001".repeat(9_999)}aaaa`);
  });

  test("a message has at most 30 attachments", () => {
    const image = { type: "image", payload: { url: CDN } };
    expect(attachmentsFor(Array(30).fill(image))).toHaveLength(30);
    expect(attachmentsFor(Array(31).fill(image))).toHaveLength(30);
  });

  const long = (length: number) => `https://cdn.example/${"a".repeat(length - 20)}`;
  test.each([
    ["http://cdn.example/a", "http://cdn.example/a"],
    ["HTTPS://cdn.example/é", "HTTPS://cdn.example/é"],
    [long(4_096), long(4_096)],
    [long(4_097), null],
    ["javascript:alert(1)", null],
    ["data:image/png;base64,AA", null],
    ["https://cdn.example/a b  c", "https://cdn.example/a%20b%20%20c"],
    [`https://cdn.example/${" ".repeat(1_400)}a`, null],
    [`https://cdn.example/${"€".repeat(1_358)}aa`, `https://cdn.example/${"€".repeat(1_358)}aa`],
    [`https://cdn.example/${"€".repeat(1_358)}aaa`, null],
    [`https://cdn.example/${'"'.repeat(2_039)}`, null],
    ["https://cdn.example/a\nb", null],
    ["https://", null],
    ["", null],
    [5, null],
    [{ href: CDN }, null],
  ])("an attachment's URL %j is read as %j", (url, stored) => {
    expect(attachmentsFor([{ type: "image", payload: { url } }])).toEqual([{ type: "image", url: stored }]);
  });

  test("attachments that are not a list of objects are ignored", () => {
    expect(attachmentsFor({ type: "image" })).toEqual([]);
    expect(attachmentsFor([null, 1, "image", []])).toEqual([]);
  });

  test("message ids have 1 to 512 characters", () => {
    const kindFor = (mid: unknown) => parseEvent(channel, { message: { mid, text: "x" } })[0]?.kind;
    expect(kindFor("m")).toBe("message");
    expect(kindFor("mid.$cAAE:41d/+=")).toBe("message");
    expect(kindFor("m".repeat(512))).toBe("message");
    for (const mid of ["m".repeat(513), "", 7, null, undefined, {}, "\ud83d"]) expect(kindFor(mid)).toBe("ignored");
  });
});
