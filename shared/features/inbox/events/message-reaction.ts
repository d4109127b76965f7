import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { changeAuthors, type Message } from "../rules/messages.ts";
import type { ReactionUpdate } from "../rules/updates.ts";
import { messageRef, messageRefFields } from "./message.ts";
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
