import type { PlatformName } from "../../domain/accounts/accounts.ts";
import type { IgnoredUpdate, Update } from "../../domain/inbox/updates.ts";
import type { Millis } from "../../kernel/time.ts";
import { asObject, type JsonObject, parseJson, readId, readTime } from "../json.ts";
import { type Entry, recipientId, senderId } from "./event-context.ts";
import { readMessage, readPostback } from "./messages.ts";
import { readDelivery, readEdit, readPolicy, readReaction, readRead, readReferral } from "./notices.ts";

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
  const body = asObject(parseJson(raw));
  const entries = body?.entry;
  if (!body || typeof body.object !== "string" || !Array.isArray(entries)) return [ignored("malformed")];
  const platform = parsePlatform(body.object);
  if (platform === null) return [ignored("unknown_kind")];
  return entries.flatMap((entry: unknown) => readEntry({ platform, receivedAt }, entry));
}

function parsePlatform(object: string): PlatformName | null {
  if (object === "instagram") return "instagram";
  return object === "page" ? "messenger" : null;
}

function readEntry(webhook: Pick<Entry, "platform" | "receivedAt">, value: unknown): Update[] {
  const body = asObject(value);
  if (!body) return [ignored("malformed")];
  const entry: Entry = { ...webhook, id: readId(body.id), time: readTime(body.time) };
  // The Test button of the app dashboard sends an entry of account 0.
  if (entry.id === "0") return [ignored("dashboard_test")];
  const { messaging = null, standby = null, changes = null } = body;
  if (messaging === null && standby === null && changes === null) return [ignored("unknown_kind")];
  return [
    ...readList(messaging, (event) => readEvent(entry, event)),
    // Standby: another app controls the thread. The person still wrote to this account.
    ...readList(standby, (event) => readEvent(entry, event)),
    ...readList(changes, (change) => readChange(entry, change)),
  ];
}

function readList(list: unknown, read: (item: JsonObject) => Update): Update[] {
  if (list === null) return [];
  if (!Array.isArray(list)) return [ignored("malformed")];
  return list.map((value: unknown) => {
    const item = asObject(value);
    return item ? read(item) : ignored("malformed");
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
  const markedObjects = [event, asObject(event.message), asObject(event.postback)];
  return markedObjects.some((part) => part?.is_self === true) || (!!sender && sender === recipientId(event));
}

function ignored(reason: IgnoredUpdate["reason"]): IgnoredUpdate {
  return { kind: "ignored", reason };
}
