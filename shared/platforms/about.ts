import type { AccountRef, PlatformName } from "../domain/accounts/accounts.ts";
import type { Millis } from "../kernel/time.ts";
import { asObject, idOf, type JsonObject, timeOf } from "./json.ts";

/** What an event takes from the entry it came in. */
export interface Entry {
  readonly platform: PlatformName;
  /** Undefined when the entry names no account, null when the name will not do. */
  readonly id: string | null | undefined;
  readonly time: Millis | null;
}

/** Whom and when an event is about. */
export interface About {
  readonly account: AccountRef;
  readonly participantId: string;
  readonly at: Millis;
}

export function senderOf(event: JsonObject): string | null | undefined {
  return idOf(asObject(event.sender)?.id);
}

export function recipientOf(event: JsonObject): string | null | undefined {
  return idOf(asObject(event.recipient)?.id);
}

/** The account acted itself: the platform says so by an echo, or names the entry's own account as the sender. */
export function isFromAccount(entry: Entry, event: JsonObject): boolean {
  const sender = senderOf(event);
  return asObject(event.message)?.is_echo === true || (!!sender && sender === entry.id && !!recipientOf(event));
}

/** Account, person and instant; null when one of them is missing or unfit. An account left out is the entry's. */
export function aboutOf(entry: Entry, event: JsonObject): About | null {
  const [person, named] = isFromAccount(entry, event)
    ? [recipientOf(event), senderOf(event)]
    : [senderOf(event), recipientOf(event)];
  const externalId = named === undefined ? entry.id : named;
  const at = instantOf(entry, event);
  if (!person || !externalId || person === externalId || at === null) return null;
  return { account: { platform: entry.platform, externalId }, participantId: person, at };
}

/** The event's own time, or else its entry's. */
export function instantOf(entry: Entry, event: JsonObject): Millis | null {
  return timeOf(event.timestamp) ?? entry.time;
}
