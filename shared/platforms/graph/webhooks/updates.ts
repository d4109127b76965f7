import type { Millis } from "#base/kernel/time.ts";
import type { IgnoredUpdate, Update } from "#features/inbox/rules/updates.ts";
import type { Dialect } from "../dialect.ts";
import { asObject, type JsonObject, parseJson, readId, readTime } from "../json.ts";
import { type Entry, readMessage, readPostback, recipientId, senderId } from "./messages.ts";
import { readDelivery, readEdit, readPolicy, readReaction, readRead, readReferral } from "./notices.ts";

/** The lists of an entry, in the order in which they are read. Standby: another app controls the thread. */
const eventLists = ["messaging", "standby", "changes"] as const;
type EventList = (typeof eventLists)[number];

/** One event of a webhook as the platform wrote it, or the reason why there is none. */
type WebhookEvent =
  | { readonly entry: JsonObject; readonly list: EventList; readonly item: JsonObject }
  | { readonly reason: IgnoredUpdate["reason"] };

interface WebhookEvents {
  readonly dialect: Dialect;
  /** One for each update of the webhook, in their order. */
  readonly events: readonly WebhookEvent[];
}

/** The events of a webhook's body; alone the reason for a body that has none. Accepts any bytes and never throws. */
function readWebhookEvents(
  dialects: readonly Dialect[],
  raw: Uint8Array,
): WebhookEvents | { readonly reason: IgnoredUpdate["reason"] } {
  const body = asObject(parseJson(raw));
  const entries = body?.entry;
  if (!body || typeof body.object !== "string" || !Array.isArray(entries)) return malformed;
  const dialect = dialects.find(({ object }) => object === body.object);
  if (!dialect) return unknownKind;
  return { dialect, events: entries.flatMap(readEntry) };
}

/** Bodies of webhooks with the events at these positions of this one. An event without an item is left out. */
export function selectEvents(
  dialects: readonly Dialect[],
  raw: Uint8Array,
  selections: readonly (readonly number[])[],
): Uint8Array[] {
  const webhook = readWebhookEvents(dialects, raw);
  const { object, events } =
    "reason" in webhook ? { object: "page", events: [] } : { object: webhook.dialect.object, events: webhook.events };
  return selections.map((positions) => {
    const selectedEvents = positions.flatMap((position) => {
      const event = events[position];
      return event && "item" in event ? [event] : [];
    });
    return Buffer.from(JSON.stringify({ object, entry: toEntries(selectedEvents) }));
  });
}

const malformed = { reason: "malformed" } as const;
const unknownKind = { reason: "unknown_kind" } as const;

function readEntry(value: unknown): WebhookEvent[] {
  const entry = asObject(value);
  if (!entry) return [malformed];
  // The Test button of the app dashboard sends an entry of account 0.
  if (readId(entry.id) === "0") return [{ reason: "dashboard_test" }];
  if (eventLists.every((list) => isAbsent(entry[list]))) return [unknownKind];
  return eventLists.flatMap((list) => readList(entry, list));
}

function readList(entry: JsonObject, list: EventList): WebhookEvent[] {
  const items = entry[list];
  if (isAbsent(items)) return [];
  if (!Array.isArray(items)) return [malformed];
  return items.map((value: unknown) => {
    const item = asObject(value);
    if (!item) return malformed;
    return isEmpty(item) ? unknownKind : { entry, list, item };
  });
}

// Two bytes of a webhook are one: reading it must not cost as much as reading an event.
function isEmpty(item: JsonObject): boolean {
  for (const _ in item) return false;
  return true;
}

function isAbsent(member: unknown): boolean {
  return member === undefined || member === null;
}

/** Entries of the platform's form. The events of one entry stay in one, so that they keep their order. */
function toEntries(events: readonly Extract<WebhookEvent, { item: unknown }>[]): object[] {
  const byEntry = Map.groupBy(events, ({ entry }) => entry);
  return [...byEntry].map(([{ id, time }, ofEntry]) => {
    const byList = Map.groupBy(ofEntry, ({ list }) => list);
    return { id, time, ...Object.fromEntries([...byList].map(([list, some]) => [list, some.map(({ item }) => item)])) };
  });
}

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

/** One update for each event of a webhook, in their order, as `parseUpdates` describes them. */
export function readUpdates(dialects: readonly Dialect[], raw: Uint8Array, receivedAt: Millis): Update[] {
  const webhook = readWebhookEvents(dialects, raw);
  if ("reason" in webhook) return [ignored(webhook.reason)];
  const { dialect, events } = webhook;
  const { platform } = dialect;
  const entries = new Map<JsonObject, Entry>();
  return events.map((event) => {
    if ("reason" in event) return ignored(event.reason);
    const { id, time } = event.entry;
    const entry = entries.get(event.entry) ?? { platform, receivedAt, dialects, id: readId(id), time: readTime(time) };
    entries.set(event.entry, entry);
    return event.list === "changes" ? readChange(entry, event.item) : readEvent(entry, event.item);
  });
}

function readChange(entry: Entry, change: JsonObject): Update {
  if (!isMessaging(entry.dialects, change.field)) return ignored("unknown_kind");
  const event = asObject(change.value);
  return event ? readEvent(entry, event) : ignored("malformed");
}

function isMessaging(dialects: readonly Dialect[], field: unknown): boolean {
  return dialects.some(({ changeFields }) => changeFields.some((each) => each === field));
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
