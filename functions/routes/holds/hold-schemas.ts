import * as z from "zod/mini";
import { platforms } from "../../../shared/domain/accounts/accounts.ts";
import { type HoldState, holdStatuses } from "../../../shared/domain/holds/holds.ts";
import { readConversationId } from "../../../shared/domain/inbox/conversations.ts";
import type { CheckHoldView } from "../../../shared/flows/holds/view.ts";
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

export const checkHoldSchema = z.object({
  id: z.string(),
  status: z.enum(holdStatuses),
  expires_at: z.string(),
  platform: z.enum(platforms),
  display_name: z.string(),
  text: z.string(),
  attachments: z.number(),
  test: z.optional(z.boolean()),
  error: z.optional(errorSchema),
});

export function toCheckHoldResponse({ hold, state, displayName }: CheckHoldView): z.infer<typeof checkHoldSchema> {
  const { content, conversationId } = hold;
  const ref = readConversationId(conversationId);
  if (!ref) throw new Error("The hold has a malformed conversation id.");
  return {
    id: hold.id,
    status: state.status,
    expires_at: iso(hold.expiresAt),
    platform: ref.account.platform,
    display_name: displayName,
    text: content?.kind === "text" ? content.text : "",
    attachments: content?.kind === "attachments" ? content.attachments.length : 0,
    ...(hold.scope === "test" ? { test: true } : {}),
    ...(state.status === "failed" ? { error: state.error } : {}),
  };
}
