import * as z from "zod/mini";
import { type RenderedEvent, renderEvent } from "../domain/events/events.ts";
import type { Message } from "../domain/inbox/messages.ts";
import type { ReactionUpdate } from "../domain/inbox/updates.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { EventDefinition } from "./event-definition.ts";
import { messageRef, messageRefFields } from "./message-fields.ts";
import { sampleInboundMessage, sampleTenant, sampleUlid } from "./samples.ts";

const TYPE = "message.reaction";

const dataSchema = () =>
  z.object({
    message: z.object(messageRefFields()),
    reaction: z.object({
      action: z.enum(["react", "unreact"]),
      reaction: z.nullable(z.string()),
      emoji: z.nullable(z.string()),
    }),
  });
type MessageReactionData = z.infer<ReturnType<typeof dataSchema>>;

export function renderMessageReaction(
  tenant: TenantId,
  eventUlid: string,
  message: Pick<Message, "id" | "conversationId" | "account">,
  { action, reaction, emoji }: Pick<ReactionUpdate, "action" | "reaction" | "emoji">,
): RenderedEvent {
  const data: MessageReactionData = { message: messageRef(message), reaction: { action, reaction, emoji } };
  return renderEvent(tenant, eventUlid, TYPE, data);
}

export const messageReaction: EventDefinition = {
  description: "A person reacted to a message or removed the reaction.",
  dataSchema,
  example: () =>
    renderMessageReaction(sampleTenant(), sampleUlid(TYPE), sampleInboundMessage(), {
      action: "react",
      reaction: "love",
      emoji: "❤️",
    }),
};
