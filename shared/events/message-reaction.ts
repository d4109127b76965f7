import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import { changeAuthors, type Message } from "../domain/inbox/messages.ts";
import type { ReactionUpdate } from "../domain/inbox/updates.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { iso } from "../kernel/time.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageRef, messageRefFields } from "./message-fields.ts";
import { SAMPLE_AT, sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.reaction";

const dataSchema = () =>
  z.object({
    message: z.object(messageRefFields()),
    reaction: z.object({
      action: z.enum(["react", "unreact"]),
      reaction: z.nullable(z.string()),
      emoji: z.nullable(z.string()),
      at: z.iso.datetime(),
    }),
    by: z.enum(changeAuthors),
  });
type MessageReactionData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageReaction(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
  { action, reaction, emoji, at, by }: Pick<ReactionUpdate, "action" | "reaction" | "emoji" | "at" | "by">,
): RenderedEvent {
  const data: MessageReactionData = {
    message: messageRef(message),
    reaction: { action, reaction, emoji, at: iso(at) },
    by,
  };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageReaction: EventDefinition = {
  description: "The participant or the account reacted to a message, or removed the reaction.",
  dataSchema,
  example: () =>
    renderMessageReaction(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage(), {
      action: "react",
      reaction: "love",
      emoji: "❤️",
      at: SAMPLE_AT,
      by: "participant",
    }),
};
