import { parseUpdates } from "../../../shared/platforms/parse.ts";

// Webhook bodies in the shape the platforms send them.

export const PERSON = "6543210987654321";
export const AT = 1_793_000_000_123;
export const MID = "aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3ODQxNDAwMDAwMDAwMDAx";

export const channels = [
  { object: "instagram", platform: "instagram", account: "17841400000000001" },
  { object: "page", platform: "messenger", account: "102030405060708" },
] as const;
export type Channel = (typeof channels)[number];

export const bytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

/** One event in one entry, sent by the person to the account unless the event says otherwise. */
export function delivery(channel: Channel, event: object, list: "messaging" | "standby" = "messaging") {
  const ends = { sender: { id: PERSON }, recipient: { id: channel.account }, timestamp: AT };
  const entry = { time: AT + 500, id: channel.account, [list]: [{ ...ends, ...event }] };
  return { object: channel.object, entry: [entry] };
}

export function parseOne(channel: Channel, event: object) {
  return parseUpdates(bytes(delivery(channel, event)));
}

export function about(channel: Channel) {
  return {
    account: { platform: channel.platform, externalId: channel.account },
    participantId: PERSON,
    at: AT,
  };
}

/** An update for a plain inbound message. */
export function inbound(channel: Channel, rest: object = {}) {
  return {
    kind: "message",
    ...about(channel),
    messageId: MID,
    form: "message",
    text: "",
    attachments: [],
    replyTo: null,
    echo: null,
    ...rest,
  };
}

export const byAccount = (channel: Channel) => ({ sender: { id: channel.account }, recipient: { id: PERSON } });
