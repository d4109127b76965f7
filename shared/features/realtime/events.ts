import * as z from "zod/mini";
import { envelopeSchema } from "#base/events/envelope.ts";
import { type RenderedEvent, renderEnvelope } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { holdFields, toHoldFields } from "#features/holds/events.ts";
import type { HoldState } from "#features/holds/rules/holds.ts";
import { conversationFields, toConversationFields } from "#features/inbox/events/conversation-fields.ts";
import { messageDataSchema } from "#features/inbox/events/message.ts";
import type { ConversationHead } from "#features/inbox/rules/messages.ts";
import { toUploadFields, uploadFields } from "#features/uploads/events.ts";
import type { UploadState } from "#features/uploads/rules/uploads.ts";
import { type Activity, activityStates } from "./rules/activity.ts";

// The frames of the realtime stream, besides the events that endpoints get too. Each builder returns the frame's text.
// Of those that end in `.updated`, endpoints get only `conversation.updated`, and for fewer changes.

/** The first frame of a connection. Times are epoch milliseconds. */
function helloSchema() {
  return z.object({
    type: z.literal("hello"),
    connection_id: z.string(),
    server_time: z.int(),
    expires_at: z.int(),
  });
}

/** The answer to a client's `{ "type": "ping" }`. */
function pongSchema() {
  return z.object({ type: z.literal("pong") });
}

/** A conversation as `GET /v1/conversations` shows it, or that it was erased. */
function conversationUpdatedSchema() {
  const erased = z.object({ id: z.string(), erased: z.literal(true) });
  return envelopeSchema("conversation.updated", z.object({ conversation: z.union([conversationFields(), erased]) }));
}

/** A held message as `GET /v1/messages/holds/{hold_id}` shows it. */
function holdUpdatedSchema() {
  return envelopeSchema("hold.updated", z.object({ hold: z.omit(holdFields(), { verify_url: true }) }));
}

/** An upload as `GET /v1/attachments/uploads/{upload_id}` shows it. */
function uploadUpdatedSchema() {
  return envelopeSchema("upload.updated", z.object({ upload: uploadFields() }));
}

/** The event of a message. With `include=conversation` the newest one of a push has its conversation. */
function messageSchema<Type extends "message.received" | "message.sent">(type: Type) {
  return envelopeSchema(type, z.extend(messageDataSchema(), { conversation: z.optional(conversationFields()) }));
}

/** What another person of the tenant does with a conversation. Only people get it. */
function presenceUpdatedSchema() {
  const data = z.object({ conversation_id: z.string(), user_id: z.string(), state: z.enum(activityStates) });
  return envelopeSchema("presence.updated", data);
}

/** What a connection gets besides the events of the catalog, in the order of documentation. */
export const streamFrameSchemas = {
  hello: helloSchema,
  pong: pongSchema,
  "message.received": () => messageSchema("message.received"),
  "message.sent": () => messageSchema("message.sent"),
  "conversation.updated": conversationUpdatedSchema,
  "hold.updated": holdUpdatedSchema,
  "upload.updated": uploadUpdatedSchema,
  "presence.updated": presenceUpdatedSchema,
} as const;

type Frame<Type extends keyof typeof streamFrameSchemas> = z.infer<ReturnType<(typeof streamFrameSchemas)[Type]>>;

/** The first frame of a connection. */
export function helloFrame({
  connectionId,
  now,
  expiresAt,
}: {
  readonly connectionId: string;
  readonly now: Millis;
  readonly expiresAt: Millis;
}): string {
  const frame: Frame<"hello"> = { type: "hello", connection_id: connectionId, server_time: now, expires_at: expiresAt };
  return JSON.stringify(frame);
}

export function pongFrame(): string {
  const frame: Frame<"pong"> = { type: "pong" };
  return JSON.stringify(frame);
}

/** @param ulid the ULID of the frame; the same change has the same one */
export function conversationUpdatedFrame(
  tenant: TenantId,
  { ulid, head, now }: { readonly ulid: string; readonly head: ConversationHead; readonly now: Millis },
): string {
  const data: Frame<"conversation.updated">["data"] = { conversation: toConversationFields(head, now) };
  return renderEnvelope(tenant, { ulid, type: "conversation.updated", data });
}

/** The event of a message with its conversation, in one frame. The rest is as endpoints get it. */
export function messageWithConversationFrame(
  { body }: RenderedEvent,
  { head, now }: { readonly head: ConversationHead; readonly now: Millis },
): string {
  const event = JSON.parse(body) as { readonly data: Frame<"message.received">["data"] };
  const data: Frame<"message.received">["data"] = { ...event.data, conversation: toConversationFields(head, now) };
  return JSON.stringify({ ...event, data });
}

/** Says that a conversation was erased. No later frame is about what it was. */
export function conversationErasedFrame(
  tenant: TenantId,
  { ulid, conversationId }: { readonly ulid: string; readonly conversationId: string },
): string {
  const data: Frame<"conversation.updated">["data"] = { conversation: { id: conversationId, erased: true } };
  return renderEnvelope(tenant, { ulid, type: "conversation.updated", data });
}

export function holdUpdatedFrame(
  tenant: TenantId,
  {
    ulid,
    hold,
    state,
  }: { readonly ulid: string; readonly hold: Parameters<typeof toHoldFields>[0]; readonly state: HoldState },
): string {
  const data: Frame<"hold.updated">["data"] = { hold: toHoldFields(hold, state) };
  return renderEnvelope(tenant, { ulid, type: "hold.updated", data });
}

export function presenceUpdatedFrame(
  tenant: TenantId,
  { ulid, userId, activity }: { readonly ulid: string; readonly userId: string; readonly activity: Activity },
): string {
  const { conversationId, state } = activity;
  const data: Frame<"presence.updated">["data"] = { conversation_id: conversationId, user_id: userId, state };
  return renderEnvelope(tenant, { ulid, type: "presence.updated", data });
}

export function uploadUpdatedFrame(
  tenant: TenantId,
  {
    ulid,
    upload,
    state,
  }: { readonly ulid: string; readonly upload: Parameters<typeof toUploadFields>[0]; readonly state: UploadState },
): string {
  const data: Frame<"upload.updated">["data"] = { upload: toUploadFields(upload, state) };
  return renderEnvelope(tenant, { ulid, type: "upload.updated", data });
}
