import type { AccountRef, PlatformName } from "../../domain/accounts/accounts.ts";
import type { Millis } from "../../kernel/time.ts";
import { asObject, type JsonObject, readId, readTime } from "../json.ts";

/** What an event takes from the entry it came in. */
export interface Entry {
  readonly platform: PlatformName;
  /** Undefined when the entry names no account, null when the name will not do. */
  readonly id: string | null | undefined;
  readonly time: Millis | null;
}

/** Whom and when an event is about. */
export interface EventContext {
  readonly account: AccountRef;
  readonly participantId: string;
  readonly at: Millis;
}

export function senderId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.sender)?.id);
}

export function recipientId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.recipient)?.id);
}

/** The account acted itself: the platform says so by an echo, or names the entry's own account as the sender. */
export function isFromAccount(entry: Entry, event: JsonObject): boolean {
  const sender = senderId(event);
  return asObject(event.message)?.is_echo === true || (!!sender && sender === entry.id && !!recipientId(event));
}

/** Account, person and instant; null when one of them is missing or unfit. An account left out is the entry's. */
export function readEventContext(entry: Entry, event: JsonObject): EventContext | null {
  const [person, explicitAccountId] = isFromAccount(entry, event)
    ? [recipientId(event), senderId(event)]
    : [senderId(event), recipientId(event)];
  const externalId = explicitAccountId === undefined ? entry.id : explicitAccountId;
  const at = eventTime(entry, event);
  if (!person || !externalId || person === externalId || at === null) return null;
  return { account: { platform: entry.platform, externalId }, participantId: person, at };
}

/** The event's own time, or else its entry's. */
export function eventTime(entry: Entry, event: JsonObject): Millis | null {
  return readTime(event.timestamp) ?? entry.time;
}
