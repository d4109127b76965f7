import * as z from "zod/mini";
import { errorFields } from "#base/events/error-fields.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { type HoldState, holdStatuses } from "./rules/holds.ts";

// A hold as the API and the realtime stream show it: without its text, which no API key can read.

export function holdFields() {
  return z.object({
    id: z.string(),
    status: z.enum(holdStatuses),
    conversation_id: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    verify_url: z.optional(z.string()),
    platform_message_id: z.optional(z.string()),
    error: z.optional(errorFields()),
  });
}

interface HoldSummary {
  readonly id: string;
  readonly conversationId: string;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** @param checkUrl only in the response that created the hold */
export function toHoldFields(
  hold: HoldSummary,
  state: HoldState,
  checkUrl?: string,
): z.infer<ReturnType<typeof holdFields>> {
  return {
    id: hold.id,
    status: state.status,
    conversation_id: hold.conversationId,
    created_at: iso(hold.createdAt),
    expires_at: iso(hold.expiresAt),
    ...(checkUrl === undefined ? {} : { verify_url: checkUrl }),
    ...(state.status === "sent" ? { platform_message_id: state.platformMessageId } : {}),
    ...(state.status === "failed" ? { error: state.error } : {}),
  };
}
