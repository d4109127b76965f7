import * as z from "zod/mini";
import { type Account, accountKey, platforms } from "../../shared/domain/accounts/accounts.ts";
import { type Delivery, deliveryId, deliveryStatuses } from "../../shared/domain/delivery/deliveries.ts";
import { eventId, eventTypes } from "../../shared/domain/events/events.ts";
import { type ConversationHead, isUnanswered, windowAt } from "../../shared/domain/inbox/conversations.ts";
import { attachmentTypes, currentText, directions, type Message } from "../../shared/domain/inbox/messages.ts";
import type { Endpoint } from "../../shared/domain/webhooks/endpoints.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { iso, isoOrNull } from "../../shared/kernel/time.ts";

// The resources as they go over the wire: the one place where our words meet the API's.

export const conversationSchema = z.object({
  id: z.string(),
  tenant_id: z.string(),
  account_handle: z.string(),
  platform: z.enum(platforms),
  participant_id: z.string(),
  participant_handle: z.nullable(z.string()),
  participant_username: z.nullable(z.string()),
  participant_picture: z.nullable(z.string()),
  participant_profile: z.enum(["pending", "partial", "complete", "unavailable"]),
  last_inbound_at: z.nullable(z.string()),
  last_outbound_at: z.nullable(z.string()),
  last_message_text: z.string(),
  window: z.object({
    state: z.enum(["open_24h", "human_agent_7d", "closed", "no_inbound"]),
    expires_at: z.nullable(z.string()),
  }),
  unanswered: z.boolean(),
  can_reply: z.boolean(),
  can_send_as_human_agent: z.boolean(),
});

export function toConversationResponse(head: ConversationHead, now: Millis): z.infer<typeof conversationSchema> {
  const window = windowAt(head.lastInboundAt, now);
  return {
    id: head.id,
    tenant_id: head.ref.tenant,
    account_handle: head.accountHandle,
    platform: head.ref.account.platform,
    participant_id: head.ref.participantId,
    participant_handle: head.participantHandle,
    participant_username: head.participantUsername,
    participant_picture: head.participantPicture,
    participant_profile: head.participantProfile,
    last_inbound_at: isoOrNull(head.lastInboundAt),
    last_outbound_at: isoOrNull(head.lastOutboundAt),
    last_message_text: head.lastMessageText,
    window: { state: window.state, expires_at: isoOrNull(window.expiresAt) },
    unanswered: isUnanswered(head),
    can_reply: window.state === "open_24h",
    can_send_as_human_agent: window.state === "human_agent_7d",
  };
}

export const messageSchema = z.object({
  id: z.string(),
  direction: z.enum(directions),
  text: z.string(),
  sent_at: z.string(),
  sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
  actor_id: z.nullable(z.string()),
  attachments: z.array(z.object({ type: z.enum(attachmentTypes), url: z.nullable(z.string()) })),
});

export function toMessageResponse(message: Message): z.infer<typeof messageSchema> {
  return {
    id: message.id,
    direction: message.direction,
    text: currentText(message),
    sent_at: iso(message.sentAt),
    sent_via: message.sentVia,
    actor_id: message.actorId,
    attachments: message.attachments.map(({ type, url }) => ({ type, url })),
  };
}

export const accountSchema = z.object({
  account_key: z.string(),
  platform: z.enum(platforms),
  external_id: z.string(),
  handle: z.string(),
  display_name: z.string(),
  page_id: z.nullable(z.string()),
  status: z.enum(["active", "refresh_failing", "needs_reauth", "restricted"]),
  refresh_error: z.nullable(z.string()),
  last_refreshed_at: z.nullable(z.string()),
});

export function toAccountResponse(account: Account): z.infer<typeof accountSchema> {
  return {
    account_key: accountKey(account),
    platform: account.platform,
    external_id: account.externalId,
    handle: account.handle,
    display_name: account.displayName,
    page_id: account.pageId,
    status: account.status,
    refresh_error: account.refreshError,
    last_refreshed_at: isoOrNull(account.lastRefreshedAt),
  };
}

export const webhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(eventTypes)),
  status: z.enum(["active", "paused", "deleted"]),
  signing_secret_prefix: z.string(),
  secondary_active: z.boolean(),
  secondary_expires_at: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
});

export function toWebhookResponse(endpoint: Endpoint, now: Millis): z.infer<typeof webhookSchema> {
  const secondaryExpiresAt =
    endpoint.secondary && endpoint.secondary.expiresAt > now ? endpoint.secondary.expiresAt : null;
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: [...endpoint.events],
    status: endpoint.status,
    signing_secret_prefix: endpoint.secretPrefix,
    secondary_active: secondaryExpiresAt !== null,
    secondary_expires_at: isoOrNull(secondaryExpiresAt),
    created_at: iso(endpoint.createdAt),
    updated_at: iso(endpoint.updatedAt),
  };
}

export const deliverySchema = z.object({
  delivery_id: z.string(),
  event_id: z.string(),
  event_type: z.enum(eventTypes),
  status: z.enum(deliveryStatuses),
  attempt_number: z.number(),
  next_retry_at: z.nullable(z.number()),
  last_response_status: z.nullable(z.number()),
  last_error: z.nullable(z.enum(["timeout", "connect", "tls", "dns", "status", "too_large", "gate"])),
  last_duration_ms: z.nullable(z.number()),
  created_at: z.number(),
  updated_at: z.number(),
});

/** Times are epoch milliseconds here, and here alone. */
export function toDeliveryResponse(delivery: Delivery): z.infer<typeof deliverySchema> {
  return {
    delivery_id: deliveryId(delivery.eventUlid, delivery.endpointId),
    event_id: eventId(delivery.eventUlid),
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_number: delivery.attempt,
    next_retry_at: delivery.nextRetryAt,
    last_response_status: delivery.lastResponseStatus,
    last_error: delivery.lastError,
    last_duration_ms: delivery.lastDurationMs,
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  };
}
