import { deriveUlid, ulidTime } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { iso, type Millis } from "../kernel/time.ts";

/**
 * Every event type that an endpoint can subscribe to, in published order, each with the letter that an endpoint stores
 * for it. A letter is never changed or reused.
 */
export const eventTypeLetters = {
  "message.received": "r",
  "message.sent": "s",
  "message.failed": "f",
  "message.deleted": "d",
  "message.edited": "e",
  "message.reaction": "l",
  "referral.received": "o",
  "conversation.updated": "u",
  "account.connected": "C",
  "account.reconnected": "R",
  "account.disconnected": "D",
  "account.refresh_failing": "X",
  "account.needs_reauth": "N",
  "account.restricted": "S",
  "account.recovered": "V",
  "webhook.paused": "p",
  "test.event": "t",
} as const;
export type EventType = keyof typeof eventTypeLetters;
export const eventTypes = Object.keys(eventTypeLetters) as readonly EventType[];

/** The event types of an endpoint that names none. The others are only for endpoints that name them. */
export const defaultEventTypes: readonly EventType[] = eventTypes.filter((type) => type !== "conversation.updated");

export const API_VERSION = "1.0.0";

/** `evt_<ULID>`: the public id, on which receivers deduplicate. */
export function eventId(ulid: string): string {
  return `evt_${ulid}`;
}

/**
 * The ULID of a message's event. Its time is the first intake. Its random part is derived from tenant, message and
 * type, so that a repeated intake publishes the same event.
 */
export function deriveEventUlid(tenant: TenantId, messageId: string, type: EventType, firstIntake: Millis): string {
  return deriveUlid(firstIntake, `${tenant}\n${messageId}\n${type}`);
}

export function messageEventType(message: { readonly direction: "inbound" | "outbound" | "echo" }): EventType {
  return message.direction === "inbound" ? "message.received" : "message.sent";
}

/** An event as it is signed and sent: the same bytes on every attempt and replay, with the exception in `delivery.md`. */
export interface RenderedEvent {
  readonly ulid: string;
  readonly type: EventType;
  readonly body: string;
}

/** Wraps `data` in the envelope of every event. */
export function renderEvent(tenant: TenantId, ulid: string, type: EventType, data: object): RenderedEvent {
  return { ulid, type, body: renderEnvelope(tenant, { ulid, type, data }) };
}

/** The JSON of an envelope. `created_at` is the time in the ULID. */
export function renderEnvelope(
  tenant: TenantId,
  { ulid, type, data }: { readonly ulid: string; readonly type: string; readonly data: object },
): string {
  return JSON.stringify({
    id: eventId(ulid),
    type,
    api_version: API_VERSION,
    created_at: iso(ulidTime(ulid)),
    tenant_id: tenant,
    data,
  });
}
