import * as z from "zod/mini";
import { iso, isoOrNull } from "#base/kernel/time.ts";
import { accountKey, platforms } from "#features/accounts/rules/accounts.ts";
import { messageStory, type Referral } from "../rules/message-context.ts";
import {
  type Attachment,
  attachmentTypes,
  changeAuthors,
  currentReactions,
  currentText,
  directions,
  type Message,
} from "../rules/messages.ts";

// The fields of a message that events and the API share, so that both show one message alike.

/** Identifies a message. */
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

const nullableText = () => z.nullable(z.string());

/** The person of a message or referral. */
export function participantFields() {
  return z.object({ id: z.string(), handle: nullableText(), username: nullableText(), name: nullableText() });
}

export function referralFields() {
  return { ref: nullableText(), source: nullableText(), type: nullableText(), ad_id: nullableText() };
}

export function toReferralFields({ ref, source, type, adId }: Referral) {
  return { ref, source, type, ad_id: adId };
}

function attachmentFields() {
  return z.object({
    type: z.enum(attachmentTypes),
    url: nullableText(),
    title: nullableText(),
    coordinates: z.nullable(z.object({ lat: z.number(), long: z.number() })),
  });
}

/** The content of a message and what an inbound one brought. What it did not bring is null. */
export function messageContentFields() {
  return {
    direction: z.enum(directions),
    text: z.string(),
    attachments: z.array(attachmentFields()),
    sent_at: z.iso.datetime(),
    sent_via: z.enum(["participant", "api_in_window", "api_human_agent", "native_app", "other_app"]),
    actor_id: nullableText(),
    reply_to: nullableText(),
    story: z.nullable(z.object({ id: nullableText(), url: nullableText(), kind: z.enum(["reply", "mention"]) })),
    quick_reply: z.nullable(z.object({ payload: z.string() })),
    postback: z.nullable(z.object({ title: nullableText(), payload: nullableText() })),
    referral: z.nullable(z.object(referralFields())),
    edited_at: z.nullable(z.iso.datetime()),
    deleted_at: z.nullable(z.iso.datetime()),
    reactions: z.array(
      z.object({ by: z.enum(changeAuthors), reaction: nullableText(), emoji: nullableText(), at: z.iso.datetime() }),
    ),
  };
}

/** The content of a message as it is now: the text of its newest edit, and nothing of an unsent message. */
export function messageContent(message: Message) {
  const { quickReply, postback, referral } = message.context ?? {};
  return {
    direction: message.direction,
    text: currentText(message),
    attachments: message.attachments.map(toAttachmentFields),
    sent_at: iso(message.sentAt),
    sent_via: message.sentVia,
    actor_id: message.actorId,
    reply_to: message.replyTo,
    story: messageStory(message),
    quick_reply: quickReply ? { payload: quickReply.payload } : null,
    postback: postback ? { title: message.text || null, payload: postback.payload } : null,
    referral: referral ? toReferralFields(referral) : null,
    edited_at: isoOrNull(message.edit?.at ?? null),
    deleted_at: isoOrNull(message.unsentAt ?? null),
    reactions: currentReactions(message).map(({ by, at, content }) => ({
      by,
      reaction: content?.reaction ?? null,
      emoji: content?.emoji ?? null,
      at: iso(at),
    })),
  };
}

function toAttachmentFields({ type, url, title, coordinates }: Attachment) {
  const position = coordinates ? { lat: coordinates.lat, long: coordinates.long } : null;
  return { type, url, title: title ?? null, coordinates: position };
}
