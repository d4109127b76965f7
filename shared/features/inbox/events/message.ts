import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { messageEventType, type RenderedEvent, renderEvent } from "#base/events/events.ts";
import { toHttpError } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { sendFailureReason } from "#features/sending/rules/sends.ts";
import type { Message } from "../rules/messages.ts";
import {
  messageContent,
  messageContentFields,
  messageRef,
  messageRefFields,
  participantFields,
} from "./message-fields.ts";
import { sampleInboundMessage, sampleOutboundMessage, sampleTenant } from "./samples.ts";

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
function eventMessage({ edit, lastReactions, ...message }: Message) {
  return {
    ...messageRef(message),
    ...messageContent(message),
    participant: message.participant,
    ...(message.holdId ? { hold_id: message.holdId } : {}),
    ...(message.scope === "test" ? { test: true } : {}),
  };
}

const dataSchema = () => z.object({ message: z.object(eventMessageFields()) });
type MessageData = z.infer<ReturnType<typeof dataSchema>>;

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
