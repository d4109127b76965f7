import * as z from "zod/mini";
import { MESSAGE_ID_CHARS_MAX } from "../../../shared/domain/limits.ts";
import { mediaTypes, type RequestedContent } from "../../../shared/domain/sending/send-content.ts";

// The request body that the reply and the human-agent route share.

const attachment = z.object({
  type: z.enum(mediaTypes),
  url: z.nullish(z.string()),
  attachment_id: z.nullish(z.string()),
});

export const sendFields = {
  conversation_id: z.string().check(z.minLength(1)),
  text: z.nullish(z.string().check(z.minLength(1))),
  attachments: z.nullish(z.array(attachment)),
  reply_to: z.nullish(z.string().check(z.minLength(1), z.maxLength(MESSAGE_ID_CHARS_MAX))),
};

/** The refusals of both send routes. */
export const sendRefusals = [
  "conversation_not_found",
  "account_not_found",
  "window_closed",
  "window_closed_late",
  "window_closed_no_inbound",
  "rate_limited",
  "slowed_down",
  "idempotency_conflict",
  "send_failed",
  "not_sent_in_time",
  "outcome_unknown",
  "account_needs_reauth",
  "account_restricted",
] as const;

/** Legacy camelCase field names. */
export const sendAliases = { conversationId: "conversation_id", actorId: "actor_id" };

/** Lengths and counts are checked against the platform's limits in the send flow. */
export const textOrMedia = z.refine<{ readonly text?: unknown; readonly attachments?: unknown }>(
  ({ text, attachments }) => (text == null) !== (attachments == null),
  "must have either text or attachments",
);

const sendBody = z.object(sendFields);

export function toSendRequest(
  body: z.infer<typeof sendBody>,
): RequestedContent & { readonly conversationId: string; readonly replyTo: string | null } {
  const { conversation_id, text, attachments, reply_to } = body;
  return {
    conversationId: conversation_id,
    replyTo: reply_to ?? null,
    text,
    attachments: attachments?.map(({ type, url, attachment_id }) => ({ type, url, attachmentId: attachment_id })),
  };
}
