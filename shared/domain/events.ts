import { ulidOf } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { iso, type Millis } from "../kernel/time.ts";
import { accountKey } from "./accounts.ts";
import type { Message } from "./messages.ts";

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
export function eventUlidOf(tenant: TenantId, messageId: string, type: EventType, firstIntake: Millis): string {
  return ulidOf(firstIntake, `${tenant}\n${messageId}\n${type}`);
}

export function typeOfMessageEvent(message: Message): EventType {
  return message.direction === "inbound" ? "message.received" : "message.sent";
}

/** The body of a message's event: the very bytes that are signed and sent, at every attempt and replay. */
export function renderMessageEvent(tenant: TenantId, message: Message, createdAt: Millis): string {
  return JSON.stringify({
    id: eventId(message.eventUlid),
    type: typeOfMessageEvent(message),
    api_version: API_VERSION,
    created_at: iso(createdAt),
    tenant_id: tenant,
    data: {
      message: {
        id: message.id,
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
        ...(message.scope === "test" ? { test: true } : {}),
      },
    },
  });
}
