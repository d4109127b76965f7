import type { MessageContext, Referral } from "#features/inbox/rules/message-context.ts";
import { asObject, type JsonObject, readText, readUrl } from "../json.ts";

const STORY_ID_CHARS_MAX = 128;
const PAYLOAD_CHARS_MAX = 1_000;
const WORD_CHARS_MAX = 64;
const REF_CHARS_MAX = 2_083;

/** What a message brings beside its text and attachments. @param event may hold the referral beside the message */
export function readMessageContext(event: JsonObject, message: JsonObject): MessageContext | null {
  const story = asObject(asObject(message.reply_to)?.story);
  const payload = readText(asObject(message.quick_reply)?.payload, PAYLOAD_CHARS_MAX);
  const storyId = readIdText(story?.id);
  const storyUrl = readUrl(story?.url);
  return orNull({
    ...(storyId === null && storyUrl === null ? {} : { repliedStory: { id: storyId, url: storyUrl } }),
    ...(payload === null ? {} : { quickReply: { payload } }),
    ...referralPart(message.referral ?? event.referral),
  });
}

/** A button has a payload, and the referral of the link or ad that showed it. */
export function readPostbackContext(event: JsonObject, postback: JsonObject): MessageContext {
  const payload = readText(postback.payload, PAYLOAD_CHARS_MAX) || null;
  return { postback: { payload }, ...referralPart(postback.referral ?? event.referral) };
}

/** @returns null when the value is no referral, or has none of its fields */
export function readReferralFields(value: unknown): Referral | null {
  const referral = asObject(value);
  if (!referral) return null;
  const fields = {
    ref: readText(referral.ref, REF_CHARS_MAX),
    source: readText(referral.source, WORD_CHARS_MAX),
    type: readText(referral.type, WORD_CHARS_MAX),
    adId: readIdText(referral.ad_id),
  };
  return Object.values(fields).some((field) => field !== null) ? fields : null;
}

function referralPart(value: unknown): Pick<MessageContext, "referral"> {
  const referral = readReferralFields(value);
  return referral ? { referral } : {};
}

/** Ids are text, or numbers in older webhooks. */
function readIdText(value: unknown): string | null {
  return readText(Number.isSafeInteger(value) ? String(value) : value, STORY_ID_CHARS_MAX) || null;
}

function orNull(context: MessageContext): MessageContext | null {
  return Object.keys(context).length > 0 ? context : null;
}
