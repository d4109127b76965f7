import { newUlid } from "#base/kernel/ids.ts";
import { iso } from "#base/kernel/time.ts";
import type { Conversation, Message } from "../../../../web/console/data/types.ts";

// The frames of the stream, as objects.

export type Frame = { readonly type: string; readonly id: string; readonly created_at: string; readonly data: object };

/** A frame of the stream. @param at epoch milliseconds */
export function frame(type: string, data: object, at: number): Frame {
  return {
    id: `evt_${newUlid(at)}`,
    type,
    api_version: "1.0.0",
    created_at: iso(at),
    tenant_id: "acme",
    data,
  } as Frame;
}

/** `message.received` or `message.sent`, by the direction of the message. */
export function messageFrame(message: Message, conversation: Conversation, at: number): Frame {
  const { participant_id, participant_handle, participant_username, participant_name } = conversation;
  const participant = {
    id: participant_id,
    handle: participant_handle,
    username: participant_username,
    name: participant_name,
  };
  const type = message.direction === "inbound" ? "message.received" : "message.sent";
  return frame(type, { message: { ...message, participant } }, at);
}

export function conversationFrame(conversation: Conversation, at: number): Frame {
  return frame("conversation.updated", { conversation }, at);
}

export function erasedFrame(id: string, at: number): Frame {
  return frame("conversation.updated", { conversation: { id, erased: true } }, at);
}
