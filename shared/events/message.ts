import * as z from "zod/mini";
import { accountKey, platforms } from "../domain/accounts/accounts.ts";
import { messageEventType, type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import { attachmentTypes, directions, type Message } from "../domain/inbox/messages.ts";
import { sendFailureReason } from "../domain/sending/sends.ts";
import { toHttpError } from "../kernel/refusals.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { iso } from "../kernel/time.ts";
import type { EventDefinition } from "./event-definition.ts";
import { sampleInboundMessage, sampleOutboundMessage, sampleTenant } from "./samples.ts";

/** Identifies a message in an event about it. */
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

/** The content of a message, beside what identifies it. */
function messageContentFields() {
  return {
    direction: z.enum(directions),
    text: z.string(),
    attachments: z.array(z.object({ type: z.enum(attachmentTypes), url: z.nullable(z.string()) })),
    sent_at: z.iso.datetime(),
    sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
    actor_id: z.nullable(z.string()),
    reply_to: z.nullable(z.string()),
    participant: z.object({ id: z.string(), handle: z.nullable(z.string()), username: z.nullable(z.string()) }),
    hold_id: z.optional(z.string()),
    test: z.optional(z.boolean()),
  };
}

function messageContent(message: Message) {
  return {
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

const dataSchema = () => z.object({ message: z.object({ ...messageRefFields(), ...messageContentFields() }) });
type MessageData = z.infer<ReturnType<typeof dataSchema>>;

/**
 * `message.received` for an inbound message, `message.sent` for any other. A pure function of the message as it was
 * first stored, so that every attempt and replay sends the same bytes.
 */
export function renderMessageEvent(tenant: TenantId, message: Message): RenderedEvent {
  const data: MessageData = { message: { ...messageRef(message), ...messageContent(message) } };
  return renderEvent(tenant, message.eventUlid, messageEventType(message), data);
}

export const messageReceived: EventDefinition = {
  description: "A person sent a message or pressed a button.",
  dataSchema,
  example: () => renderMessageEvent(sampleTenant(), sampleInboundMessage()),
};

export const messageSent: EventDefinition = {
  description: "The account sent a message: through the API (`outbound`) or from another app (`echo`).",
  dataSchema,
  example: () => renderMessageEvent(sampleTenant(), sampleOutboundMessage("message.sent")),
};

const FAILED = "message.failed";

const failedDataSchema = () =>
  z.object({
    message: z.object({ ...messageRefFields(), ...messageContentFields(), id: z.null() }),
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
    message: { ...messageRef(message), id: null, ...messageContent(message) },
    error: { code, message: errorMessage, detail },
  };
  return renderEvent(tenant, message.eventUlid, FAILED, data);
}

export const messageFailed: EventDefinition = {
  description: "A message sent through the API failed, or its outcome is unknown.",
  dataSchema: failedDataSchema,
  example: () => renderMessageFailed(sampleTenant(), sampleOutboundMessage(FAILED), "outcome_unknown"),
};
