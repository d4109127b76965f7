import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { changeAuthors, type Message } from "../rules/messages.ts";
import type { EditUpdate } from "../rules/updates.ts";
import { messageRef, messageRefFields } from "./message.ts";
import { SAMPLE_AT, sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.edited";

const dataSchema = () =>
  z.object({
    message: z.object({
      ...messageRefFields(),
      text: z.string(),
      text_truncated: z.boolean(),
      edit_count: z.int(),
      edited_at: z.iso.datetime(),
    }),
    by: z.enum(changeAuthors),
  });
type MessageEditedData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageEdited(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
  {
    text,
    isTextTruncated,
    editCount,
    at,
    by,
  }: Pick<EditUpdate, "text" | "isTextTruncated" | "editCount" | "at" | "by">,
): RenderedEvent {
  const data: MessageEditedData = {
    message: {
      ...messageRef(message),
      text,
      text_truncated: isTextTruncated === true,
      edit_count: editCount,
      edited_at: iso(at),
    },
    by,
  };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageEdited: EventDefinition = {
  description: "A message was edited, by the participant or by the account. `text` is the new text.",
  dataSchema,
  example: () =>
    renderMessageEdited(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage(), {
      text: "Hello, is it still there?",
      editCount: 1,
      at: SAMPLE_AT,
      by: "participant",
    }),
};
