import * as z from "zod/mini";
import { iso, isoOrNull, type Millis } from "#base/kernel/time.ts";
import { accountKey, platforms } from "#features/accounts/rules/accounts.ts";
import { attachmentTypes, type ConversationHead, directions, isUnanswered, needsReply } from "../rules/messages.ts";
import { windowAt } from "../rules/messaging-window.ts";

// A conversation as the API and the realtime stream show it.

export function conversationFields() {
  return z.object({
    id: z.string(),
    tenant_id: z.string(),
    account_key: z.string(),
    account_handle: z.string(),
    platform: z.enum(platforms),
    participant_id: z.string(),
    participant_handle: z.nullable(z.string()),
    participant_username: z.nullable(z.string()),
    participant_name: z.nullable(z.string()),
    participant_picture: z.nullable(z.string()),
    participant_profile: z.enum(["pending", "partial", "complete", "unavailable"]),
    last_inbound_at: z.nullable(z.iso.datetime()),
    last_outbound_at: z.nullable(z.iso.datetime()),
    last_message_at: z.iso
      .datetime()
      .check(z.describe("When the newest message in either direction was sent, in ISO 8601.")),
    last_message_text: z.string(),
    last_message: z.object({
      direction: z.enum(directions),
      kind: z.enum(["text", ...attachmentTypes]),
    }),
    waiting_since: z
      .nullable(z.string())
      .check(
        z.describe(
          "When the first message was sent that waits for an answer. Null when the last message is not inbound.",
        ),
      ),
    done_at: z
      .nullable(z.string())
      .check(
        z.describe(
          "When the last inbound message was marked as done. Null without the mark, which any newer message ends.",
        ),
      ),
    needs_reply: z.boolean().check(z.describe("The last message is inbound and not marked as done.")),
    window: z.object({
      state: z.enum(["open_24h", "human_agent_7d", "closed", "no_inbound"]),
      expires_at: z.nullable(z.iso.datetime()),
    }),
    unanswered: z.boolean(),
    can_reply: z.boolean(),
    can_send_as_human_agent: z.boolean(),
  });
}

/** @param now decides which window is open */
export function toConversationFields(
  head: ConversationHead,
  now: Millis,
): z.infer<ReturnType<typeof conversationFields>> {
  const window = windowAt(head.lastInboundAt, now);
  return {
    id: head.id,
    tenant_id: head.ref.tenant,
    account_key: accountKey(head.ref.account),
    account_handle: head.accountHandle,
    platform: head.ref.account.platform,
    participant_id: head.ref.participantId,
    participant_handle: head.participantHandle,
    participant_username: head.participantUsername,
    participant_name: head.participantName,
    participant_picture: head.participantPicture,
    participant_profile: head.participantProfile,
    last_inbound_at: isoOrNull(head.lastInboundAt),
    last_outbound_at: isoOrNull(head.lastOutboundAt),
    last_message_at: iso(head.lastAt),
    last_message_text: head.lastMessageText,
    last_message: { direction: head.lastDirection, kind: head.lastMessageKind },
    waiting_since: isoOrNull(head.waitingSince),
    done_at: isoOrNull(head.doneAt),
    needs_reply: needsReply(head),
    window: { state: window.state, expires_at: isoOrNull(window.expiresAt) },
    unanswered: isUnanswered(head),
    can_reply: window.state === "open_24h",
    can_send_as_human_agent: window.state === "human_agent_7d",
  };
}
