import type { components } from "../api-types.ts";
import type { WebhookEvent } from "../webhook-verifier.ts";

type Schemas = components["schemas"];

/** The first frame of a connection. Times are epoch milliseconds. `expires_at` is the end of the connection. */
export type Hello = Schemas["HelloFrame"];
/** A conversation as the list shows it, or that it was erased. */
export type ConversationUpdated = Schemas["ConversationUpdatedFrame"];
export type HoldUpdated = Schemas["HoldUpdatedFrame"];
export type UploadUpdated = Schemas["UploadUpdatedFrame"];
/** What another person of the tenant does with a conversation. Only people get it. */
export type PresenceUpdated = Schemas["PresenceUpdatedFrame"];

/** What the stream sends: the events that webhooks get, and the changes that only the stream reports. */
export type StreamEvent = ConversationUpdated | HoldUpdated | UploadUpdated | PresenceUpdated | WebhookEvent;

/** The object of a frame; null when it is not a JSON object with a type. */
export function parseFrame(data: unknown): { readonly type: string } | null {
  if (typeof data !== "string") return null;
  try {
    const frame = JSON.parse(data);
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}

/** A frame of a message may have the conversation after it, which is reported as an event of its own, as without it. */
export function splitFrame(frame: StreamEvent): readonly StreamEvent[] {
  if (frame.type !== "message.received" && frame.type !== "message.sent") return [frame];
  const { conversation, ...data }: Schemas["MessageReceivedFrame"]["data"] = frame.data ?? {};
  if (typeof conversation !== "object" || conversation === null) return [frame];
  const updated: ConversationUpdated = { ...frame, type: "conversation.updated", data: { conversation } };
  return [{ ...frame, data }, updated];
}
