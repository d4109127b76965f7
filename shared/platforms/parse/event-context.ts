import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef, PlatformName } from "#features/accounts/rules/accounts.ts";
import type { ChangeAuthor } from "#features/inbox/rules/messages.ts";
import { asObject, type JsonObject, readId, readTime } from "../json.ts";

/** The fields of a webhook's entry that its events inherit. */
export interface Entry {
  readonly platform: PlatformName;
  /** Undefined when the entry has no account id, null when the id is invalid. */
  readonly id: string | null | undefined;
  readonly time: Millis | null;
  /** When Parley received the webhook. */
  readonly receivedAt: Millis;
}

export interface EventContext {
  readonly account: AccountRef;
  readonly participantId: string;
  readonly at: Millis;
  /** The webhook has no readable time, so `at` is its arrival. A repeated webhook then has another time. */
  readonly isArrivalTime?: true;
}

export function senderId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.sender)?.id);
}

export function recipientId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.recipient)?.id);
}

/** Whether the account sent the message: the event is marked as an echo, or its sender is the entry's account. */
export function isFromAccount(entry: Entry, event: JsonObject): boolean {
  const sender = senderId(event);
  return asObject(event.message)?.is_echo === true || (!!sender && sender === entry.id && !!recipientId(event));
}

/** The account defaults to the entry's. @returns null when account or person is missing or invalid */
export function readEventContext(entry: Entry, event: JsonObject): EventContext | null {
  const [person, explicitAccountId] = isFromAccount(entry, event)
    ? [recipientId(event), senderId(event)]
    : [senderId(event), recipientId(event)];
  const externalId = explicitAccountId === undefined ? entry.id : explicitAccountId;
  if (!person || !externalId || person === externalId) return null;
  return { account: { platform: entry.platform, externalId }, participantId: person, ...eventTime(entry, event) };
}

/** Who changed a message: the event's sender. */
export function readAuthor(entry: Entry, event: JsonObject): { by: ChangeAuthor } {
  return { by: isFromAccount(entry, event) ? "account" : "participant" };
}

/** The time of the event; defaults to the entry's, then to the arrival of the webhook. */
export function eventTime(entry: Entry, event: JsonObject): Pick<EventContext, "at" | "isArrivalTime"> {
  const at = readTime(event.timestamp) ?? entry.time;
  return at === null ? { at: entry.receivedAt, isArrivalTime: true } : { at };
}
