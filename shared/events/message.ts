import * as z from "zod/mini";
import { messageEventType, type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { Message } from "../domain/inbox/messages.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageContent, messageContentFields, messageRef, messageRefFields } from "./message-fields.ts";
import { sampleInboundMessage, sampleOutboundMessage, sampleTenant } from "./samples.ts";

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
