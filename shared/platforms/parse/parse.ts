import type { Millis } from "#base/kernel/time.ts";
import type { IgnoredUpdate, Update } from "#features/inbox/rules/updates.ts";
import { asObject, type JsonObject, readId, readTime } from "../json.ts";
import { type Entry, recipientId, senderId } from "./event-context.ts";
import { readMessage, readPostback } from "./messages.ts";
import { readDelivery, readEdit, readPolicy, readReaction, readRead, readReferral } from "./notices.ts";
import { readWebhookEvents } from "./webhook-events.ts";

type Reader = (entry: Entry, event: JsonObject, body: JsonObject) => Update | null;

// An event has one member beside sender, recipient and timestamp, which determines its kind.
const readers: readonly (readonly [member: string, reader: Reader])[] = [
  ["message", readMessage],
  ["postback", readPostback],
  ["reaction", readReaction],
  ["read", readRead],
  ["delivery", readDelivery],
  ["referral", readReferral],
  ["message_edit", readEdit],
  ["policy_enforcement", readPolicy],
  ["policy-enforcement", readPolicy],
];
const handovers = ["pass_thread_control", "take_thread_control", "request_thread_control", "app_roles"];

// The fields whose `changes[].value` is an event as in `messaging[]`. Other fields are about posts and comments.
const messagingFields: ReadonlySet<unknown> = new Set([
  "messages",
  "message_echoes",
  "message_reactions",
  "message_reads",
  "message_deliveries",
  "message_edit",
  "message_edits",
  "messaging_postbacks",
  "messaging_referral",
  "messaging_referrals",
  "messaging_seen",
  "messaging_handover",
  "messaging_handovers",
  "messaging_policy_enforcement",
  "standby",
]);

/**
 * Parses a webhook's body into one update per event, in order. Accepts any bytes and never throws. An unreadable event
 * becomes an ignored update, so that it does not block the others. A member that is null counts as absent. Runs in
 * linear time.
 * @param receivedAt the time of events that have none
 */
export function parseUpdates(raw: Uint8Array, receivedAt: Millis): Update[] {
  const webhook = readWebhookEvents(raw);
  if ("reason" in webhook) return [ignored(webhook.reason)];
  const { platform, events } = webhook;
  const entries = new Map<JsonObject, Entry>();
  return events.map((event) => {
    if ("reason" in event) return ignored(event.reason);
    const { id, time } = event.entry;
    const entry = entries.get(event.entry) ?? { platform, receivedAt, id: readId(id), time: readTime(time) };
    entries.set(event.entry, entry);
    return event.list === "changes" ? readChange(entry, event.item) : readEvent(entry, event.item);
  });
}

function readChange(entry: Entry, change: JsonObject): Update {
  if (!messagingFields.has(change.field)) return ignored("unknown_kind");
  const event = asObject(change.value);
  return event ? readEvent(entry, event) : ignored("malformed");
}

function readEvent(entry: Entry, event: JsonObject): Update {
  if (isDashboardTest(event)) return ignored("dashboard_test");
  if (isSelfTest(event)) return ignored("self_test");
  for (const [member, reader] of readers) {
    if (isAbsent(event[member])) continue;
    const body = asObject(event[member]);
    return (body && reader(entry, event, body)) ?? ignored("malformed");
  }
  return ignored(handovers.some((member) => !isAbsent(event[member])) ? "handover" : "unknown_kind");
}

function isAbsent(member: unknown): boolean {
  return member === undefined || member === null;
}

// The fixed sender and recipient of the dashboard's Test button. Real ids are much longer.
function isDashboardTest(event: JsonObject): boolean {
  return senderId(event) === "12334" && recipientId(event) === "23245";
}

// An account that writes to itself. There is no person to reply to.
function isSelfTest(event: JsonObject): boolean {
  const sender = senderId(event);
  return (
    isMarked(event) ||
    isMarked(event.message) ||
    isMarked(event.postback) ||
    (!!sender && sender === recipientId(event))
  );
}

function isMarked(part: unknown): boolean {
  return asObject(part)?.is_self === true;
}

function ignored(reason: IgnoredUpdate["reason"]): IgnoredUpdate {
  return { kind: "ignored", reason };
}
