import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { ConversationHead } from "../rules/messages.ts";
import { conversationFields, toConversationFields } from "./conversation-fields.ts";
import { SAMPLE_AT, sampleHead, sampleUlid } from "./samples.ts";

const TYPE = "conversation.updated";

const dataSchema = () => z.object({ conversation: conversationFields() });

/** @param now decides which window is open */
export function renderConversationUpdated(eventUlid: string, head: ConversationHead, now: Millis): RenderedEvent {
  const data: z.infer<ReturnType<typeof dataSchema>> = { conversation: toConversationFields(head, now) };
  return renderEvent(head.ref.tenant, eventUlid, TYPE, data);
}

export const conversationUpdated: EventDefinition = {
  description:
    "The profile of a new person arrived after the event of their first message, or a conversation was marked as done or no longer is. Only endpoints that name this type in `events` receive it.",
  dataSchema,
  example: () => renderConversationUpdated(sampleUlid(TYPE), sampleHead(), SAMPLE_AT),
};
