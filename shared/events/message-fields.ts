import * as z from "zod/mini";
import { accountKey, platforms } from "../domain/accounts/accounts.ts";
import { attachmentTypes, directions, type Message } from "../domain/inbox/messages.ts";
import { iso } from "../kernel/time.ts";

// The parts that the payloads of several message events share.

/** Identifies a message in an event about it. */
export function messageRefFields() {
  return {
    id: z.string(),
    conversation_id: z.string(),
    account_key: z.string(),
    platform: z.enum(platforms),
  };
}

export function messageRef(message: Pick<Message, "id" | "conversationId" | "account">) {
  return {
    id: message.id,
    conversation_id: message.conversationId,
    account_key: accountKey(message.account),
    platform: message.account.platform,
  };
}

/** The content of a message, beside what identifies it. */
export function messageContentFields() {
  return {
    direction: z.enum(directions),
    text: z.string(),
    attachments: z.array(z.object({ type: z.enum(attachmentTypes), url: z.nullable(z.string()) })),
    sent_at: z.iso.datetime(),
    sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
    actor_id: z.nullable(z.string()),
    reply_to: z.nullable(z.string()),
    participant: z.object({ id: z.string(), handle: z.nullable(z.string()), username: z.nullable(z.string()) }),
    hold_id: z.optional(z.string()),
    test: z.optional(z.boolean()),
  };
}

export function messageContent(message: Message) {
  return {
    direction: message.direction,
    text: message.text,
    attachments: message.attachments.map(({ type, url }) => ({ type, url })),
    sent_at: iso(message.sentAt),
    sent_via: message.sentVia,
    actor_id: message.actorId,
    reply_to: message.replyTo,
    participant: message.participant,
    ...(message.holdId ? { hold_id: message.holdId } : {}),
    ...(message.scope === "test" ? { test: true } : {}),
  };
}
