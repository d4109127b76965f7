import * as z from "zod/mini";
import { errorFields } from "#base/events/error-fields.ts";
import { iso } from "#base/kernel/time.ts";
import { platforms } from "#features/accounts/rules/accounts.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { contentText, mediaTypes, type OutgoingAttachment } from "#features/sending/rules/send-content.ts";
import { once } from "#http/lazy-schemas.ts";
import { holdFields } from "../events.ts";
import type { CheckHoldView, HoldView } from "../flows/view.ts";
import { holdStatuses } from "../rules/holds.ts";

// Held messages as API keys and the check page see them.

export const holdSchema = once(() => holdFields().register(z.globalRegistry, { id: "Hold" }));

/** A hold that no longer waits, without its message. It is read without its conversation. */
const endedHoldSchema = once(() =>
  z
    .object({
      id: z.string(),
      status: z.enum(holdStatuses),
      platform: z.enum(platforms),
      test: z.optional(z.boolean()),
      error: z.optional(errorFields()),
    })
    .register(z.globalRegistry, { id: "EndedHold" }),
);

/** What a 409 of the check page's API says about its hold. */
export const endedHoldFields = once(() => z.object({ hold: endedHoldSchema() }));

/** @param view the hold that a check page's request was refused for */
export function toEndedHoldFields(view: HoldView): z.infer<ReturnType<typeof endedHoldFields>> {
  return { hold: toEndedHold(view) };
}

function toEndedHold({ hold, state }: HoldView): z.infer<ReturnType<typeof endedHoldSchema>> {
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

export const checkHoldSchema = once(() =>
  z
    .extend(endedHoldSchema(), {
      expires_at: z.iso.datetime(),
      display_name: z.string(),
      participant_username: z.nullable(z.string()),
      account_handle: z.nullable(z.string()),
      actor_id: z.string(),
      actor_name: z.nullable(z.string()),
      text: z.string(),
      attachments: z.number(),
      attachment_list: z.array(z.object({ type: z.enum(mediaTypes), url: z.nullable(z.string()) })),
    })
    .register(z.globalRegistry, { id: "HeldMessage" }),
);

export function toCheckHoldResponse(view: CheckHoldView): z.infer<ReturnType<typeof checkHoldSchema>> {
  const { content, expiresAt, actorId, actorName } = view.hold;
  const attachments = content?.kind === "attachments" ? content.attachments.map(toAttachment) : [];
  return {
    ...toEndedHold(view),
    expires_at: iso(expiresAt),
    display_name: view.displayName,
    participant_username: view.participantUsername,
    account_handle: view.accountHandle,
    actor_id: actorId,
    actor_name: actorName,
    text: content ? contentText(content) : "",
    attachments: attachments.length,
    attachment_list: attachments,
  };
}

/** The URL of an uploaded file is null: only the platform has the file. */
function toAttachment(attachment: OutgoingAttachment) {
  return { type: attachment.type, url: "url" in attachment ? attachment.url : null };
}
