import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { Message } from "../domain/inbox/messages.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageRef, messageRefFields } from "./message-fields.ts";
import { sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.deleted";

const dataSchema = () => z.object({ message: z.object(messageRefFields()) });
type MessageDeletedData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageDeleted(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
): RenderedEvent {
  const data: MessageDeletedData = { message: messageRef(message) };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageDeleted: EventDefinition = {
  description: "A person unsent a message.",
  dataSchema,
  example: () => renderMessageDeleted(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage()),
};
