import { describe, expect, test } from "vitest";
import { parseUpdates } from "#platforms/platforms.ts";
import {
  AT,
  channels,
  fromAccount,
  MID,
  messageUpdate,
  PERSON,
  parseEvent,
  RECEIVED_AT,
  toBytes,
  updateBase,
  webhookBody,
} from "./webhook-payloads.ts";

const malformedUpdates = [{ kind: "ignored", reason: "malformed" }];

describe.each(channels)("around messages on $platform", (channel) => {
  test("a reaction and its removal, by the person or by the account", () => {
    const reaction = { mid: MID, action: "react", reaction: "love", emoji: "❤️" };
    const expected = { kind: "reaction", ...updateBase(channel), messageId: MID, by: "participant" };
    const reacted = { ...expected, action: "react", reaction: "love", emoji: "❤️" };
    expect(parseEvent(channel, { reaction })).toEqual([reacted]);
    expect(parseEvent(channel, { ...fromAccount(channel), reaction })).toEqual([{ ...reacted, by: "account" }]);
    expect(parseEvent(channel, { reaction: { mid: MID, action: "unreact" } })).toEqual([
      { ...expected, action: "unreact", reaction: null, emoji: null },
    ]);
    expect(parseEvent(channel, { reaction: { mid: MID, action: "clap" } })).toEqual(malformedUpdates);
    expect(parseEvent(channel, { reaction: { action: "react" } })).toEqual(malformedUpdates);
  });

  test("a read receipt by message or by instant", () => {
    const read = { kind: "read", ...updateBase(channel) };
    expect(parseEvent(channel, { read: { mid: MID } })).toEqual([{ ...read, messageId: MID, watermark: null }]);
    expect(parseEvent(channel, { read: { watermark: AT - 1, seq: 4 } })).toEqual([
      { ...read, messageId: null, watermark: AT - 1 },
    ]);
    expect(parseEvent(channel, { read: {} })).toEqual(malformedUpdates);
  });

  test("a delivery receipt without a time has the entry's time", () => {
    const event = { timestamp: undefined, delivery: { mids: ["m_1", 5, "", "m_2"], watermark: AT } };
    expect(parseEvent(channel, event)).toEqual([
      { kind: "delivered", ...updateBase(channel), at: AT + 500, messageIds: ["m_1", "m_2"] },
    ]);
    expect(parseEvent(channel, { delivery: { watermark: AT } })).toEqual([
      { kind: "delivered", ...updateBase(channel), messageIds: [] },
    ]);
  });

  test("a referral whose time is in seconds", () => {
    const event = { timestamp: 1_793_000_000, referral: { ref: "shop", source: "SHORTLINK", type: "OPEN_THREAD" } };
    expect(parseEvent(channel, event)).toEqual([
      {
        kind: "referral",
        ...updateBase(channel),
        at: 1_793_000_000_000,
        referral: { ref: "shop", source: "SHORTLINK", type: "OPEN_THREAD", adId: null },
      },
    ]);
    expect(parseEvent(channel, { referral: { ad_id: "238512345678901234", ref: 5 } })).toMatchObject([
      { kind: "referral", referral: { ref: null, adId: "238512345678901234" } },
    ]);
    expect(parseEvent(channel, { referral: {} })).toEqual(malformedUpdates);
  });

  test("an edit, and events that only look like one", () => {
    const edit = { kind: "edit", ...updateBase(channel), messageId: MID, text: "new", by: "participant" };
    const editOfAccount = { ...fromAccount(channel), message_edit: { mid: MID, text: "new", num_edit: 1 } };
    expect(parseEvent(channel, editOfAccount)).toEqual([{ ...edit, editCount: 1, by: "account" }]);
    expect(parseEvent(channel, { message_edit: { mid: MID, text: "new", num_edit: 1 } })).toEqual([
      { ...edit, editCount: 1 },
    ]);
    expect(parseEvent(channel, { message_edit: { mid: MID, text: "new", num_edit: "5" } })).toEqual([
      { ...edit, editCount: 5 },
    ]);
    const noise = [{ kind: "ignored", reason: "edit_noise" }];
    expect(parseEvent(channel, { message_edit: { mid: MID, num_edit: 0 } })).toEqual(noise);
    expect(parseEvent(channel, { message_edit: { mid: MID, text: "new", num_edit: 0 } })).toEqual(noise);
    expect(parseEvent(channel, { message_edit: { mid: MID, num_edit: 1 } })).toEqual(noise);
    const bare = { sender: undefined, recipient: undefined, message_edit: { mid: MID, num_edit: 0 } };
    expect(parseEvent(channel, bare)).toEqual(noise);
    for (const num_edit of [-1, 1.5, "many", { valueOf: 1, toString: 1 }]) {
      expect(parseEvent(channel, { message_edit: { mid: MID, text: "new", num_edit } })).toEqual(malformedUpdates);
    }
  });

  test.each(["policy_enforcement", "policy-enforcement"])("%s is about the account alone", (member) => {
    const account = updateBase(channel).account;
    for (const action of ["warning", "block", "unblock"]) {
      expect(parseEvent(channel, { sender: undefined, [member]: { action, reason: "Spam" } })).toEqual([
        { kind: "policy", account, at: AT, action, reason: "Spam" },
      ]);
    }
    expect(parseEvent(channel, { sender: undefined, recipient: undefined, [member]: { action: "block" } })).toEqual([
      { kind: "policy", account, at: AT, action: "block", reason: null },
    ]);
    expect(parseEvent(channel, { [member]: { action: "praise" } })).toEqual(malformedUpdates);
  });

  test.each(["pass_thread_control", "take_thread_control", "request_thread_control", "app_roles"])(
    "%s is ignored as a handover",
    (member) => {
      expect(parseEvent(channel, { [member]: { new_owner_app_id: "1" } })).toEqual([
        { kind: "ignored", reason: "handover" },
      ]);
    },
  );

  test("an event of an unknown kind is ignored", () => {
    expect(parseEvent(channel, { optin: { ref: "x" } })).toEqual([{ kind: "ignored", reason: "unknown_kind" }]);
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
    expect(parseUpdates(toBytes({ object: channel.object, entry: entries }), RECEIVED_AT)).toEqual(
      entries.map(() => ({ kind: "ignored", reason: "dashboard_test" })),
    );
  });

  test("the changes carry messaging events, and changes of other fields are ignored", () => {
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
    expect(parseUpdates(toBytes(body), RECEIVED_AT)).toEqual([
      messageUpdate(channel, { text: "hi" }),
      { kind: "ignored", reason: "unknown_kind" },
      ...malformedUpdates,
    ]);
  });
});

describe("ids and times", () => {
  const [channel] = channels;
  const message = { mid: MID, text: "hi" };

  test("a missing recipient defaults to the entry's account", () => {
    expect(parseEvent(channel, { recipient: undefined, message })).toEqual([messageUpdate(channel, { text: "hi" })]);
  });

  test("numeric ids keep every digit", () => {
    const raw = JSON.stringify(webhookBody(channel, { message }))
      .replaceAll(`"${channel.account}"`, " 17841400000000003")
      .replaceAll(`"${PERSON}"`, "98765432109876543");
    const [update] = parseUpdates(toBytes(raw), RECEIVED_AT);
    expect(update).toMatchObject({ account: { externalId: "17841400000000003" }, participantId: "98765432109876543" });
  });

  test.each(["a#b", "", "a b", "é", "x".repeat(65), {}, true, 1.5])("the id %j is not valid in a key", (id) => {
    expect(parseEvent(channel, { sender: { id }, message })).toEqual(malformedUpdates);
    expect(parseEvent(channel, { recipient: { id }, message })).toEqual(malformedUpdates);
  });

  test("a message without a person is malformed", () => {
    expect(parseEvent(channel, { sender: undefined, message })).toEqual(malformedUpdates);
    expect(parseEvent(channel, { sender: { id: channel.account }, recipient: undefined, message })).toEqual(
      malformedUpdates,
    );
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
    expect(parseEvent(channel, { timestamp, message })).toMatchObject([{ kind: "message", at }]);
  });

  test.each([undefined, null, "2026-10-26T06:13:20.123Z", ""])(
    "without any time in digits, as with %j, it is the arrival",
    (time) => {
      const event = { sender: { id: PERSON }, recipient: { id: channel.account }, message };
      const body = {
        object: channel.object,
        entry: [{ id: channel.account, time, messaging: [{ ...event, timestamp: time }] }],
      };
      const expected = { ...messageUpdate(channel, { text: "hi" }), at: RECEIVED_AT, isArrivalTime: true };
      expect(parseUpdates(toBytes(body), RECEIVED_AT)).toEqual([expected]);
    },
  );
});
