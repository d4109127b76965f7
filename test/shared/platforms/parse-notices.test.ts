import { describe, expect, test } from "vitest";
import { parseUpdates } from "../../../shared/platforms/parse.ts";
import { AT, about, byAccount, bytes, channels, delivery, inbound, MID, PERSON, parseOne } from "./payloads.ts";

const malformed = [{ kind: "ignored", why: "malformed" }];

describe.each(channels)("around messages on $platform", (channel) => {
  test("a reaction and its withdrawal, by the person or by the account", () => {
    const reaction = { mid: MID, action: "react", reaction: "love", emoji: "❤️" };
    const expected = { kind: "reaction", ...about(channel), messageId: MID };
    const reacted = [{ ...expected, action: "react", reaction: "love", emoji: "❤️" }];
    expect(parseOne(channel, { reaction })).toEqual(reacted);
    expect(parseOne(channel, { ...byAccount(channel), reaction })).toEqual(reacted);
    expect(parseOne(channel, { reaction: { mid: MID, action: "unreact" } })).toEqual([
      { ...expected, action: "unreact", reaction: null, emoji: null },
    ]);
    expect(parseOne(channel, { reaction: { mid: MID, action: "clap" } })).toEqual(malformed);
    expect(parseOne(channel, { reaction: { action: "react" } })).toEqual(malformed);
  });

  test("a read receipt by message or by instant", () => {
    const read = { kind: "read", ...about(channel) };
    expect(parseOne(channel, { read: { mid: MID } })).toEqual([{ ...read, messageId: MID, watermark: null }]);
    expect(parseOne(channel, { read: { watermark: AT - 1, seq: 4 } })).toEqual([
      { ...read, messageId: null, watermark: AT - 1 },
    ]);
    expect(parseOne(channel, { read: {} })).toEqual(malformed);
  });

  test("a delivery receipt without a time of its own takes the entry's", () => {
    const event = { timestamp: undefined, delivery: { mids: ["m_1", 5, "", "m_2"], watermark: AT } };
    expect(parseOne(channel, event)).toEqual([
      { kind: "delivered", ...about(channel), at: AT + 500, messageIds: ["m_1", "m_2"] },
    ]);
    expect(parseOne(channel, { delivery: { watermark: AT } })).toEqual([
      { kind: "delivered", ...about(channel), messageIds: [] },
    ]);
  });

  test("a referral whose time is in seconds", () => {
    const event = { timestamp: 1_793_000_000, referral: { ref: "shop", source: "SHORTLINK", type: "OPEN_THREAD" } };
    expect(parseOne(channel, event)).toEqual([
      { kind: "referral", ...about(channel), at: 1_793_000_000_000, ref: "shop", source: "SHORTLINK" },
    ]);
    expect(parseOne(channel, { referral: {} })).toEqual([
      { kind: "referral", ...about(channel), ref: null, source: null },
    ]);
  });

  test("an edit, and the noise that looks like one", () => {
    const edit = { kind: "edit", ...about(channel), messageId: MID, text: "new" };
    expect(parseOne(channel, { message_edit: { mid: MID, text: "new", num_edit: 1 } })).toEqual([
      { ...edit, editCount: 1 },
    ]);
    expect(parseOne(channel, { message_edit: { mid: MID, text: "new", num_edit: "5" } })).toEqual([
      { ...edit, editCount: 5 },
    ]);
    const noise = [{ kind: "ignored", why: "edit_noise" }];
    expect(parseOne(channel, { message_edit: { mid: MID, num_edit: 0 } })).toEqual(noise);
    expect(parseOne(channel, { message_edit: { mid: MID, text: "new", num_edit: 0 } })).toEqual(noise);
    expect(parseOne(channel, { message_edit: { mid: MID, num_edit: 1 } })).toEqual(noise);
    const bare = { sender: undefined, recipient: undefined, message_edit: { mid: MID, num_edit: 0 } };
    expect(parseOne(channel, bare)).toEqual(noise);
    for (const num_edit of [-1, 1.5, "many", { valueOf: 1, toString: 1 }]) {
      expect(parseOne(channel, { message_edit: { mid: MID, text: "new", num_edit } })).toEqual(malformed);
    }
  });

  test.each(["policy_enforcement", "policy-enforcement"])("%s is about the account alone", (member) => {
    const account = about(channel).account;
    for (const action of ["warning", "block", "unblock"]) {
      expect(parseOne(channel, { sender: undefined, [member]: { action, reason: "Spam" } })).toEqual([
        { kind: "policy", account, at: AT, action, reason: "Spam" },
      ]);
    }
    expect(parseOne(channel, { sender: undefined, recipient: undefined, [member]: { action: "block" } })).toEqual([
      { kind: "policy", account, at: AT, action: "block", reason: null },
    ]);
    expect(parseOne(channel, { [member]: { action: "praise" } })).toEqual(malformed);
  });

  test.each(["pass_thread_control", "take_thread_control", "request_thread_control", "app_roles"])(
    "%s is left alone",
    (member) => {
      expect(parseOne(channel, { [member]: { new_owner_app_id: "1" } })).toEqual([
        { kind: "ignored", why: "handover" },
      ]);
    },
  );

  test("an event of a kind we do not know is left alone", () => {
    expect(parseOne(channel, { optin: { ref: "x" } })).toEqual([{ kind: "ignored", why: "unknown_kind" }]);
  });

  test("the dashboard's test event, in changes, in messaging, and with another entry", () => {
    const value = {
      sender: { id: "12334" },
      recipient: { id: "23245" },
      timestamp: "1527459824",
      message: { mid: "random_mid", text: "random_text" },
    };
    const entries = [
      { id: "0", time: 1_527_459_824, changes: [{ field: "messages", value }] },
      { id: "0", time: 1_527_459_824, messaging: [value] },
      { id: 0, time: 1_527_459_824, messaging: [value] },
      { id: channel.account, time: 1_527_459_824, changes: [{ field: "messages", value }] },
      { id: channel.account, time: 1_527_459_824, messaging: [value] },
    ];
    expect(parseUpdates(bytes({ object: channel.object, entry: entries }))).toEqual(
      entries.map(() => ({ kind: "ignored", why: "dashboard_test" })),
    );
  });

  test("changes carry messaging events; changes of other fields are left alone", () => {
    const value = {
      sender: { id: PERSON },
      recipient: { id: channel.account },
      timestamp: String(AT),
      message: { mid: MID, text: "hi" },
    };
    const changes = [
      { field: "messages", value },
      { field: "feed", value: { item: "post", message: "text" } },
      { field: "messages", value: "text" },
    ];
    const body = { object: channel.object, entry: [{ id: channel.account, time: AT, changes }] };
    expect(parseUpdates(bytes(body))).toEqual([
      inbound(channel, { text: "hi" }),
      { kind: "ignored", why: "unknown_kind" },
      ...malformed,
    ]);
  });
});

describe("ids and times", () => {
  const [channel] = channels;
  const message = { mid: MID, text: "hi" };

  test("a recipient left out is the entry's account", () => {
    expect(parseOne(channel, { recipient: undefined, message })).toEqual([inbound(channel, { text: "hi" })]);
  });

  test("ids that come as numbers keep every digit", () => {
    const raw = JSON.stringify(delivery(channel, { message }))
      .replaceAll(`"${channel.account}"`, " 17841400000000003")
      .replaceAll(`"${PERSON}"`, "98765432109876543");
    const [update] = parseUpdates(bytes(raw));
    expect(update).toMatchObject({ account: { externalId: "17841400000000003" }, participantId: "98765432109876543" });
  });

  test.each(["a#b", "", "a b", "é", "x".repeat(65), {}, true, 1.5])("the id %j does not fit a key", (id) => {
    expect(parseOne(channel, { sender: { id }, message })).toEqual(malformed);
    expect(parseOne(channel, { recipient: { id }, message })).toEqual(malformed);
  });

  test("without a person there is no message", () => {
    expect(parseOne(channel, { sender: undefined, message })).toEqual(malformed);
    expect(parseOne(channel, { sender: { id: channel.account }, recipient: undefined, message })).toEqual(malformed);
  });

  test.each([
    [AT, AT],
    [String(AT), AT],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [1_793_000_000, 1_793_000_000_000],
    ["1793000000", 1_793_000_000_000],
    [1_793_000_000_123.9, AT],
    [253_402_300_799_999, 253_402_300_799_999],
    [253_402_300_800_000, AT + 500],
    [0, AT + 500],
    [-5, AT + 500],
    ["soon", AT + 500],
    [null, AT + 500],
    [undefined, AT + 500],
    [{}, AT + 500],
  ])("a timestamp %j is read as %d", (timestamp, at) => {
    expect(parseOne(channel, { timestamp, message })).toMatchObject([{ kind: "message", at }]);
  });

  test("an event without any time is malformed", () => {
    const event = { sender: { id: PERSON }, recipient: { id: channel.account }, message };
    const body = { object: channel.object, entry: [{ id: channel.account, messaging: [event] }] };
    expect(parseUpdates(bytes(body))).toEqual(malformed);
  });
});
