import * as z from "zod/mini";
import { platforms } from "../../../shared/domain/accounts/accounts.ts";
import { type HoldState, holdStatuses } from "../../../shared/domain/holds/holds.ts";
import { readConversationId } from "../../../shared/domain/inbox/conversations.ts";
import { contentText, mediaTypes, type OutgoingAttachment } from "../../../shared/domain/sending/send-content.ts";
import type { CheckHoldView, HoldView } from "../../../shared/flows/holds/view.ts";
import { iso, type Millis } from "../../../shared/kernel/time.ts";

// Held messages as API keys and the check page see them.

const errorSchema = z.object({ code: z.string(), message: z.string(), detail: z.nullable(z.string()) });

export const holdSchema = z.object({
  id: z.string(),
  status: z.enum(holdStatuses),
  conversation_id: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  verify_url: z.optional(z.string()),
  platform_message_id: z.optional(z.string()),
  error: z.optional(errorSchema),
});

/** A hold without its text, which no API key can read. */
interface HoldSummary {
  readonly id: string;
  readonly conversationId: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** @param verifyUrl only in the response that created the hold */
export function toHoldResponse(hold: HoldSummary, state: HoldState, verifyUrl?: string): z.infer<typeof holdSchema> {
  return {
    id: hold.id,
    status: state.status,
    conversation_id: hold.conversationId,
    created_at: iso(hold.createdAt),
    expires_at: iso(hold.expiresAt),
    ...(verifyUrl === undefined ? {} : { verify_url: verifyUrl }),
    ...(state.status === "sent" ? { platform_message_id: state.platformMessageId } : {}),
    ...(state.status === "failed" ? { error: state.error } : {}),
  };
}

/** A hold that no longer waits, without its message. It is read without its conversation. */
const endedHoldSchema = z.object({
  id: z.string(),
  status: z.enum(holdStatuses),
  platform: z.enum(platforms),
  test: z.optional(z.boolean()),
  error: z.optional(errorSchema),
});

/** What a 409 of the check page's API says about its hold. */
export const endedHoldFields = z.object({ hold: endedHoldSchema });

/** @param view the hold that a check page's request was refused for */
export function toEndedHoldFields(view: HoldView): z.infer<typeof endedHoldFields> {
  return { hold: toEndedHold(view) };
}

function toEndedHold({ hold, state }: HoldView): z.infer<typeof endedHoldSchema> {
  const ref = readConversationId(hold.conversationId);
  if (!ref) throw new Error("The hold has a malformed conversation id.");
  return {
    id: hold.id,
    status: state.status,
    platform: ref.account.platform,
    ...(hold.scope === "test" ? { test: true } : {}),
    ...(state.status === "failed" ? { error: state.error } : {}),
  };
}

export const checkHoldSchema = z.extend(endedHoldSchema, {
  expires_at: z.string(),
  display_name: z.string(),
  participant_username: z.nullable(z.string()),
  account_handle: z.nullable(z.string()),
  actor_id: z.string(),
  text: z.string(),
  attachments: z.number(),
  attachment_list: z.array(z.object({ type: z.enum(mediaTypes), url: z.nullable(z.string()) })),
});

export function toCheckHoldResponse(view: CheckHoldView): z.infer<typeof checkHoldSchema> {
  const { content, expiresAt, actorId } = view.hold;
  const attachments = content?.kind === "attachments" ? content.attachments.map(toAttachment) : [];
  return {
    ...toEndedHold(view),
    expires_at: iso(expiresAt),
    display_name: view.displayName,
    participant_username: view.participantUsername,
    account_handle: view.accountHandle,
    actor_id: actorId,
    text: content ? contentText(content) : "",
    attachments: attachments.length,
    attachment_list: attachments,
  };
}

/** The URL of an uploaded file is null: only the platform has the file. */
function toAttachment(attachment: OutgoingAttachment) {
  return { type: attachment.type, url: "url" in attachment ? attachment.url : null };
}
