import { parseUpdates } from "#platforms/platforms.ts";

// Webhook bodies in the shape the platforms send them.

export const PERSON = "6543210987654321";
export const AT = 1_793_000_000_123;
export const RECEIVED_AT = AT + 2_000;
export const MID = "aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3ODQxNDAwMDAwMDAwMDAx";

export const channels = [
  { object: "instagram", platform: "instagram", account: "17841400000000001" },
  { object: "page", platform: "messenger", account: "102030405060708" },
] as const;
export type Channel = (typeof channels)[number];

export const toBytes = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

/** One event in one entry, by default from the person to the account. */
export function webhookBody(channel: Channel, event: object, list: "messaging" | "standby" = "messaging") {
  const envelope = { sender: { id: PERSON }, recipient: { id: channel.account }, timestamp: AT };
  const entry = { time: AT + 500, id: channel.account, [list]: [{ ...envelope, ...event }] };
  return { object: channel.object, entry: [entry] };
}

export function parseEvent(channel: Channel, event: object) {
  return parseUpdates(toBytes(webhookBody(channel, event)), RECEIVED_AT);
}

export function updateBase(channel: Channel) {
  return {
    account: { platform: channel.platform, externalId: channel.account },
    participantId: PERSON,
    at: AT,
  };
}

/** An update for a plain inbound message. */
export function messageUpdate(channel: Channel, rest: object = {}) {
  return {
    kind: "message",
    ...updateBase(channel),
    messageId: MID,
    form: "message",
    text: "",
    attachments: [],
    replyTo: null,
    echo: null,
    ...rest,
  };
}

export const fromAccount = (channel: Channel) => ({ sender: { id: channel.account }, recipient: { id: PERSON } });
