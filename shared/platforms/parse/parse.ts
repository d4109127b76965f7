import type { PlatformName } from "../../domain/accounts/accounts.ts";
import type { IgnoredUpdate, Update } from "../../domain/inbox/updates.ts";
import { asObject, type JsonObject, parseJson, readId, readTime } from "../json.ts";
import { type Entry, recipientId, senderId } from "./event-context.ts";
import { readMessage, readPostback } from "./messages.ts";
import { readDelivery, readEdit, readPolicy, readReaction, readRead, readReferral } from "./notices.ts";

type Reader = (entry: Entry, event: JsonObject, body: JsonObject) => Update | null;

// An event is known by the one member it has beside sender, recipient and timestamp.
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

// The fields whose `changes[].value` is an event like those of `messaging[]`; others tell of posts and comments.
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
 * Reads a webhook's body: one update per event, in the order they came. Takes any bytes and never throws; what cannot
 * be read is an ignored update, so that one bad event does not hold up the rest. Work is linear in the body's length.
 */
export function parseUpdates(raw: Uint8Array): Update[] {
  const body = asObject(parseJson(raw));
  const entries = body?.entry;
  if (!body || typeof body.object !== "string" || !Array.isArray(entries)) return [ignored("malformed")];
  const platform = parsePlatform(body.object);
  if (platform === null) return [ignored("unknown_kind")];
  return entries.flatMap((entry: unknown) => readEntry(platform, entry));
}

function parsePlatform(object: string): PlatformName | null {
  if (object === "instagram") return "instagram";
  return object === "page" ? "messenger" : null;
}

function readEntry(platform: PlatformName, value: unknown): Update[] {
  const body = asObject(value);
  if (!body) return [ignored("malformed")];
  const entry: Entry = { platform, id: readId(body.id), time: readTime(body.time) };
  // The dashboard's Test button posts an entry of account 0.
  if (entry.id === "0") return [ignored("dashboard_test")];
  const { messaging, standby, changes } = body;
  if (messaging === undefined && standby === undefined && changes === undefined) return [ignored("unknown_kind")];
  return [
    ...readList(messaging, (event) => readEvent(entry, event)),
    // Standby: another app owns the thread, yet the person wrote to this account all the same.
    ...readList(standby, (event) => readEvent(entry, event)),
    ...readList(changes, (change) => readChange(entry, change)),
  ];
}

function readList(list: unknown, read: (item: JsonObject) => Update): Update[] {
  if (list === undefined) return [];
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
    if (event[member] === undefined) continue;
    const body = asObject(event[member]);
    return (body && reader(entry, event, body)) ?? ignored("malformed");
  }
  return ignored(handovers.some((member) => event[member] !== undefined) ? "handover" : "unknown_kind");
}

// The Test button's sender and recipient, whichever entry they come in; real ids are far longer.
function isDashboardTest(event: JsonObject): boolean {
  return senderId(event) === "12334" && recipientId(event) === "23245";
}

// An account that writes to itself: there is no person on the other side to answer.
function isSelfTest(event: JsonObject): boolean {
  const sender = senderId(event);
  const marked = [event, asObject(event.message), asObject(event.postback)];
  return marked.some((part) => part?.is_self === true) || (!!sender && sender === recipientId(event));
}

function ignored(reason: IgnoredUpdate["reason"]): IgnoredUpdate {
  return { kind: "ignored", reason };
}
