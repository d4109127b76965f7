import type { EventType } from "#base/events/events.ts";
import { deriveUlid } from "#base/kernel/ids.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { type ConversationHead, conversationId, type Message } from "../rules/messages.ts";

// What the examples of the events are about. Everything here is a function, so that the workers' bundles omit it.

export const SAMPLE_AT = Date.UTC(2026, 10, 21, 15, 12, 34, 402);
const PARTICIPANT_ID = "24010000000000017";

export function sampleTenant(): TenantId {
  const tenant = parseTenant("demo");
  if (!tenant) throw new Error("The tenant of the examples is not a valid slug.");
  return tenant;
}

/** A ULID that is the same on every call. */
export function sampleUlid(seed: string): string {
  return deriveUlid(SAMPLE_AT, seed);
}

export function sampleAccount(status: Account["status"] = "active"): Account {
  return {
    platform: "messenger",
    externalId: "100000000000001",
    connectionId: sampleUlid("connection"),
    connection: "messenger",
    handle: "demo-shop",
    displayName: "Demo Shop",
    pageId: "100000000000001",
    status,
    statusDetail: null,
    retryAt: null,
    refreshError: null,
    lastRefreshedAt: null,
    tokenExpiresAt: null,
    authorizedBy: [],
    humanAgentBlockedAt: null,
    replaced: [],
    resubscriptions: null,
    restore: null,
    socketsUntil: null,
    sealedToken: new Uint8Array(),
  };
}

export function sampleInboundMessage(): Message {
  const { platform, externalId } = sampleAccount();
  const account = { platform, externalId };
  return {
    id: "m_AbCdEf0123456789",
    conversationId: conversationId({ tenant: sampleTenant(), account, participantId: PARTICIPANT_ID }),
    account,
    participant: { id: PARTICIPANT_ID, handle: "Ada Lovelace", username: null, name: "Ada Lovelace" },
    direction: "inbound",
    text: "Hello, is this still available?",
    attachments: [{ type: "image", url: "https://cdn.example.com/photo.jpg" }],
    context: { referral: { ref: "summer-sale", source: "SHORTLINK", type: "OPEN_THREAD", adId: null } },
    sentAt: SAMPLE_AT - 1_402,
    sentVia: "participant",
    actorId: null,
    replyTo: null,
    scope: "live",
    eventUlid: sampleUlid("message.received"),
  };
}

/** @param type the event that the message is published with */
export function sampleOutboundMessage(type: EventType): Message {
  const { context, ...inboundMessage } = sampleInboundMessage();
  return {
    ...inboundMessage,
    id: "m_GhIjKl0123456789",
    direction: "outbound",
    text: "Yes, it is.",
    attachments: [],
    sentVia: "api_in_window",
    replyTo: inboundMessage.id,
    eventUlid: sampleUlid(type),
  };
}

/** The conversation of `sampleInboundMessage`, whose profile has just arrived. */
export function sampleHead(): ConversationHead {
  const { account, conversationId: id, participant, sentAt, direction, text } = sampleInboundMessage();
  return {
    id,
    ref: { tenant: sampleTenant(), account, participantId: participant.id },
    accountHandle: sampleAccount().handle,
    participantHandle: participant.handle,
    participantUsername: participant.username,
    participantName: participant.name,
    participantPicture: "https://cdn.example.com/ada.jpg",
    participantProfile: "complete",
    participantProfileAt: SAMPLE_AT,
    lastInboundAt: sentAt,
    lastOutboundAt: null,
    lastAt: sentAt,
    lastDirection: direction,
    lastMessageText: text,
    lastMessageKind: "image",
    waitingSince: sentAt,
    doneAt: null,
    undoneAt: null,
  };
}
