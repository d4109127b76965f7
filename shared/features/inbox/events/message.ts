import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { messageEventType, type RenderedEvent, renderEvent } from "#base/events/events.ts";
import { toHttpError } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, isoOrNull } from "#base/kernel/time.ts";
import { accountKey, platforms } from "#features/accounts/rules/accounts.ts";
import { sendFailureReason } from "#features/sending/rules/sends.ts";
import {
  type Attachment,
  attachmentTypes,
  changeAuthors,
  currentAttachments,
  currentReactions,
  currentText,
  directions,
  isTextTruncated,
  type Message,
  messageStory,
  type Referral,
} from "../rules/messages.ts";
import { sampleInboundMessage, sampleOutboundMessage, sampleTenant } from "./samples.ts";

// The fields of a message that events and the API share, so that both show one message alike.

/** Identifies a message. */
export function messageRefFields() {
  return {
    id: z.string(),
    conversation_id: z.string(),
    account_key: z.string(),
    platform: z.enum(platforms),
  };
}

export function messageRef(message: Pick<Message, "id" | "conversationId" | "account">) {
  return {
    id: message.id,
    conversation_id: message.conversationId,
    account_key: accountKey(message.account),
    platform: message.account.platform,
  };
}

const nullableText = () => z.nullable(z.string());

/** The person of a message or referral. */
export function participantFields() {
  return z.object({ id: z.string(), handle: nullableText(), username: nullableText(), name: nullableText() });
}

export function referralFields() {
  return { ref: nullableText(), source: nullableText(), type: nullableText(), ad_id: nullableText() };
}

export function toReferralFields({ ref, source, type, adId }: Referral) {
  return { ref, source, type, ad_id: adId };
}

function attachmentFields() {
  return z.object({
    type: z.enum(attachmentTypes),
    url: nullableText().check(
      z.describe(
        "The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first.",
      ),
    ),
    title: nullableText(),
    coordinates: z.nullable(z.object({ lat: z.number(), long: z.number() })),
  });
}

/** The content of a message and what an inbound one brought. What it did not bring is null. */
export function messageContentFields() {
  return {
    direction: z.enum(directions),
    text: z.string(),
    text_truncated: z.boolean(),
    attachments: z.array(attachmentFields()),
    sent_at: z.iso.datetime(),
    sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
    actor_id: nullableText(),
    reply_to: nullableText(),
    story: z.nullable(z.object({ id: nullableText(), url: nullableText(), kind: z.enum(["reply", "mention"]) })),
    quick_reply: z.nullable(z.object({ payload: z.string() })),
    postback: z.nullable(z.object({ title: nullableText(), payload: nullableText() })),
    referral: z.nullable(z.object(referralFields())),
    edited_at: z.nullable(z.iso.datetime()),
    deleted_at: z.nullable(z.iso.datetime()),
    reactions: z.array(
      z.object({ by: z.enum(changeAuthors), reaction: nullableText(), emoji: nullableText(), at: z.iso.datetime() }),
    ),
  };
}

/** The content of a message as it is now: the text of its newest edit, and nothing of an unsent message. */
export function messageContent(message: Message) {
  const { quickReply, postback, referral } = message.context ?? {};
  return {
    direction: message.direction,
    text: currentText(message),
    text_truncated: isTextTruncated(message),
    attachments: currentAttachments(message).map(toAttachmentFields),
    sent_at: iso(message.sentAt),
    sent_via: message.sentVia,
    actor_id: message.actorId,
    reply_to: message.replyTo,
    story: messageStory(message),
    quick_reply: quickReply ? { payload: quickReply.payload } : null,
    postback: postback ? { title: message.text || null, payload: postback.payload } : null,
    referral: referral ? toReferralFields(referral) : null,
    edited_at: isoOrNull(message.edit?.at ?? null),
    deleted_at: isoOrNull(message.unsentAt ?? null),
    reactions: currentReactions(message).map(({ by, at, content }) => ({
      by,
      reaction: content?.reaction ?? null,
      emoji: content?.emoji ?? null,
      at: iso(at),
    })),
  };
}

function toAttachmentFields({ type, url, title, coordinates }: Attachment) {
  const position = coordinates ? { lat: coordinates.lat, long: coordinates.long } : null;
  return { type, url, title: title ?? null, coordinates: position };
}

/** A message with its person, as events carry it. */
function eventMessageFields() {
  return {
    ...messageRefFields(),
    ...messageContentFields(),
    participant: participantFields(),
    hold_id: z.optional(z.string()),
    test: z.optional(z.boolean()),
  };
}

/** The message as it was first stored: later changes have events of their own. */
function eventMessage({ edit, echoedUrls, lastReactions, ...message }: Message) {
  return {
    ...messageRef(message),
    ...messageContent(message),
    participant: message.participant,
    ...(message.holdId ? { hold_id: message.holdId } : {}),
    ...(message.scope === "test" ? { test: true } : {}),
  };
}

/** The data of `message.received` and `message.sent`. */
export const messageDataSchema = () => z.object({ message: z.object(eventMessageFields()) });
type MessageData = z.infer<ReturnType<typeof messageDataSchema>>;

/**
 * `message.received` for an inbound message, `message.sent` for any other. A pure function of the message as it was
 * first stored, so that every attempt and replay sends the same bytes.
 */
export function renderMessageEvent(tenant: TenantId, message: Message): RenderedEvent {
  const data: MessageData = { message: eventMessage(message) };
  return renderEvent(tenant, message.eventUlid, messageEventType(message), data);
}

export const messageReceived: EventDefinition = {
  description: "A person sent a message or pressed a button.",
  dataSchema: messageDataSchema,
  example: () => renderMessageEvent(sampleTenant(), sampleInboundMessage()),
};

export const messageSent: EventDefinition = {
  description: "The account sent a message: through the API (`outbound`) or from another app (`echo`).",
  dataSchema: messageDataSchema,
  example: () => renderMessageEvent(sampleTenant(), sampleOutboundMessage("message.sent")),
};

const FAILED = "message.failed";

const failedDataSchema = () =>
  z.object({
    message: z.object({ ...eventMessageFields(), id: z.null() }),
    error: z.object({ code: z.string(), message: z.string(), detail: z.string() }),
  });
type MessageFailedData = z.infer<ReturnType<typeof failedDataSchema>>;

/**
 * @param message as it would have been sent; its id is not published
 * @param detail the platform's error text, `outcome_unknown` or `not_sent_in_time`
 */
export function renderMessageFailed(tenant: TenantId, message: Message, detail: string): RenderedEvent {
  const { code, message: errorMessage } = toHttpError(sendFailureReason(detail));
  const data: MessageFailedData = {
    message: { ...eventMessage(message), id: null },
    error: { code, message: errorMessage, detail },
  };
  return renderEvent(tenant, message.eventUlid, FAILED, data);
}

export const messageFailed: EventDefinition = {
  description: "A message sent through the API failed, or its outcome is unknown.",
  dataSchema: failedDataSchema,
  example: () => renderMessageFailed(sampleTenant(), sampleOutboundMessage(FAILED), "outcome_unknown"),
};
