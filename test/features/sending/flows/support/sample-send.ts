import { isRefusal } from "#base/kernel/refusals.ts";
import { type ReadMessage, readMessage } from "#features/sending/plan.ts";

/** A text of a live key in a conversation. @param actorId who typed it; null for a reply */
export function sampleMessage(conversationId: string, actorId: string | null = null): ReadMessage {
  const message = readMessage({ conversationId, text: "hi", replyTo: null, actorId }, "live");
  if (isRefusal(message)) throw new Error(message.refused);
  return message;
}
