import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { Edit, Message } from "../domain/inbox/messages.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageRef, messageRefFields } from "./message-fields.ts";
import { sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.edited";

const dataSchema = () =>
  z.object({ message: z.object({ ...messageRefFields(), text: z.string(), edit_count: z.int() }) });
type MessageEditedData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageEdited(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
  edit: Edit,
): RenderedEvent {
  const data: MessageEditedData = { message: { ...messageRef(message), text: edit.text, edit_count: edit.count } };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageEdited: EventDefinition = {
  description: "A person edited a message. `text` is the new text.",
  dataSchema,
  example: () =>
    renderMessageEdited(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage(), {
      text: "Hello, is it still there?",
      count: 1,
    }),
};
