import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { Message } from "../domain/inbox/messages.ts";
import { toHttpError } from "../kernel/refusals.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageContent, messageContentFields, messageRef, messageRefFields } from "./message-fields.ts";
import { sampleOutboundMessage, sampleTenant } from "./samples.ts";

const TYPE = "message.failed";
const OUTCOME_UNKNOWN = "outcome_unknown";

const dataSchema = () =>
  z.object({
    message: z.object({ ...messageRefFields(), ...messageContentFields(), id: z.null() }),
    error: z.object({ code: z.string(), message: z.string(), detail: z.string() }),
  });
type MessageFailedData = z.infer<ReturnType<typeof dataSchema>>;

/**
 * @param message as it would have been sent; its id is not published
 * @param detail the platform's error text, or `outcome_unknown`
 */
export function renderMessageFailed(tenant: TenantId, message: Message, detail: string): RenderedEvent {
  const { code, message: errorMessage } = toHttpError(detail === OUTCOME_UNKNOWN ? OUTCOME_UNKNOWN : "send_failed");
  const data: MessageFailedData = {
    message: { ...messageRef(message), id: null, ...messageContent(message) },
    error: { code, message: errorMessage, detail },
  };
  return renderEvent(tenant, message.eventUlid, TYPE, data);
}

export const messageFailed: EventDefinition = {
  description: "A message sent through the API failed, or its outcome is unknown.",
  dataSchema,
  example: () => renderMessageFailed(sampleTenant(), sampleOutboundMessage(TYPE), OUTCOME_UNKNOWN),
};
