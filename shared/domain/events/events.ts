import { deriveUlid, ulidTime } from "../../kernel/ids.ts";
import { toHttpError } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import { accountKey } from "../accounts/accounts.ts";
import type { Message } from "../inbox/messages.ts";

/** Every event type an endpoint can ask for, in the order they are published. */
export const eventTypes = [
  "message.received",
  "message.sent",
  "message.failed",
  "message.deleted",
  "message.edited",
  "message.reaction",
  "account.connected",
  "account.reconnected",
  "account.disconnected",
  "account.needs_reauth",
  "account.restricted",
  "account.recovered",
  "webhook.paused",
  "test.event",
] as const;
export type EventType = (typeof eventTypes)[number];

export const API_VERSION = "1.0.0";

/** `evt_<ULID>`, as receivers see it and de-duplicate on. */
export function eventId(ulid: string): string {
  return `evt_${ulid}`;
}

/**
 * The ULID of the event that announces a message. Its time is the first intake; the rest follows from tenant, message
 * and type, so that a repeated intake announces the same event.
 */
export function deriveEventUlid(tenant: TenantId, messageId: string, type: EventType, firstIntake: Millis): string {
  return deriveUlid(firstIntake, `${tenant}\n${messageId}\n${type}`);
}

export function messageEventType(message: Pick<Message, "direction">): EventType {
  return message.direction === "inbound" ? "message.received" : "message.sent";
}

/** An event as it is signed and sent: the very same bytes at every attempt and replay. */
export interface RenderedEvent {
  readonly ulid: string;
  readonly type: EventType;
  readonly body: string;
}

/** The event that announces a message: a pure function of the message as it was first kept. */
export function renderMessageEvent(tenant: TenantId, message: Message): RenderedEvent {
  const data = { message: { id: message.id, ...messageFields(message) } };
  return renderEvent(tenant, message.eventUlid, messageEventType(message), data);
}

/**
 * The event that tells of a message that did not go out, or of which nobody knows whether it did.
 * @param message as it would have been; it has no id
 * @param detail the platform's words, or `outcome_unknown`
 */
export function renderFailedMessage(tenant: TenantId, message: Message, detail: string): RenderedEvent {
  const { code, message: sentence } = toHttpError(detail === "outcome_unknown" ? "outcome_unknown" : "send_failed");
  return renderEvent(tenant, message.eventUlid, "message.failed", {
    message: { id: null, ...messageFields(message) },
    error: { code, message: sentence, detail },
  });
}

/** What an event tells of a message besides its id. */
function messageFields(message: Message): object {
  return {
    conversation_id: message.conversationId,
    account_key: accountKey(message.account),
    platform: message.account.platform,
    direction: message.direction,
    text: message.text,
    attachments: message.attachments.map(({ type, url }) => ({ type, url })),
    sent_at: iso(message.sentAt),
    sent_via: message.sentVia,
    actor_id: message.actorId,
    reply_to: message.replyTo,
    participant: message.participant,
    ...(message.holdId ? { hold_id: message.holdId } : {}),
    ...(message.scope === "test" ? { test: true } : {}),
  };
}

/** Any event, from its id and what it tells. Its `created_at` is the time in its id. */
export function renderEvent(tenant: TenantId, ulid: string, type: EventType, data: object): RenderedEvent {
  const body = JSON.stringify({
    id: eventId(ulid),
    type,
    api_version: API_VERSION,
    created_at: iso(ulidTime(ulid)),
    tenant_id: tenant,
    data,
  });
  return { ulid, type, body };
}
