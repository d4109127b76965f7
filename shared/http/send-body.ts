import * as z from "zod/mini";
import {
  ATTACHMENT_ID_CHARS_MAX,
  ATTACHMENT_URL_CHARS_MAX,
  IMAGES_PER_MESSAGE_MAX,
  MESSAGE_ID_CHARS_MAX,
  MESSENGER_TEXT_CHARS_MAX,
} from "#base/kernel/limits.ts";
import { mediaTypes, type RequestedContent } from "#features/sending/rules/send-content.ts";
import { charactersMax, httpsUrlMeta } from "./fields.ts";

// The request body that the reply and the human-agent route share.

// What JSON Schema can say of the rules in the send flow. The flow decides.
const attachment = z
  .object({
    type: z.enum(mediaTypes),
    url: z.nullish(z.string().check(httpsUrlMeta, z.meta({ maxLength: ATTACHMENT_URL_CHARS_MAX }))),
    attachment_id: z.nullish(
      z.string().check(z.meta({ minLength: 1, maxLength: ATTACHMENT_ID_CHARS_MAX, pattern: "^[A-Za-z0-9_.-]+$" })),
    ),
  })
  .check(z.meta({ id: "OutgoingAttachment", oneOf: eitherOf("url", "attachment_id", "string") }));

const attachments = z.array(attachment).check(
  z.meta({
    minItems: 1,
    maxItems: IMAGES_PER_MESSAGE_MAX,
    anyOf: [{ items: { properties: { type: { const: "image" } } } }, { maxItems: 1 }],
  }),
);

/** One of two fields, and the other one absent or null. */
function eitherOf(one: string, other: string, oneType: string, otherType = oneType): object[] {
  return [
    { required: [one], properties: { [one]: { type: oneType }, [other]: { type: "null" } } },
    { required: [other], properties: { [other]: { type: otherType }, [one]: { type: "null" } } },
  ];
}

export const sendFields = {
  conversation_id: z.string().check(z.minLength(1)),
  text: z.nullish(z.string().check(z.minLength(1), z.meta({ maxLength: MESSENGER_TEXT_CHARS_MAX, pattern: "\\S" }))),
  attachments: z.nullish(attachments),
  reply_to: z.nullish(z.string().check(z.minLength(1), ...charactersMax(MESSAGE_ID_CHARS_MAX))),
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
  "restoring",
] as const;

/** Legacy camelCase field names. */
export const sendAliases = { conversationId: "conversation_id", actorId: "actor_id" };

/** Lengths and counts are checked against the platform's limits in the send flow. */
export const textOrMedia = z.refine<{ readonly text?: unknown; readonly attachments?: unknown }>(
  ({ text, attachments }) => (text == null) !== (attachments == null),
  "must have either text or attachments",
);

/** The same for the OpenAPI document. */
export const textOrMediaMeta = z.meta({ oneOf: eitherOf("text", "attachments", "string", "array") });

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
