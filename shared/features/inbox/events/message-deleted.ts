import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { changeAuthors, type Message } from "../rules/messages.ts";
import type { UnsendUpdate } from "../rules/updates.ts";
import { messageRef, messageRefFields } from "./message.ts";
import { SAMPLE_AT, sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.deleted";

const dataSchema = () =>
  z.object({
    message: z.object({ ...messageRefFields(), deleted_at: z.iso.datetime() }),
    by: z.enum(changeAuthors),
  });
type MessageDeletedData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageDeleted(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
  { at, by }: Pick<UnsendUpdate, "at" | "by">,
): RenderedEvent {
  const data: MessageDeletedData = { message: { ...messageRef(message), deleted_at: iso(at) }, by };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageDeleted: EventDefinition = {
  description: "A message was unsent, by the participant or by the account. Remove its content.",
  dataSchema,
  example: () =>
    renderMessageDeleted(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage(), {
      at: SAMPLE_AT,
      by: "participant",
    }),
};
