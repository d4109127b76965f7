import { shortHash } from "#base/kernel/bytes.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { AccountRef, PlatformName } from "#features/accounts/rules/accounts.ts";
import type { Attachment, ChangeAuthor, MessageContext, Referral } from "#features/inbox/rules/messages.ts";
import type { MessageUpdate, Update } from "#features/inbox/rules/updates.ts";
import type { Dialect } from "../dialect.ts";
import { asObject, type JsonObject, readId, readMessageId, readText, readTime, readUrl } from "../json.ts";
import { readAttachments, readLike } from "./attachments.ts";

/** The fields of a webhook's entry that its events inherit. */
export interface Entry {
  readonly platform: PlatformName;
  /** Undefined when the entry has no account id, null when the id is invalid. */
  readonly id: string | null | undefined;
  readonly time: Millis | null;
  /** When Parley received the webhook. */
  readonly receivedAt: Millis;
  /** Those of all platforms. */
  readonly dialects: readonly Dialect[];
}

export interface EventContext {
  readonly account: AccountRef;
  readonly participantId: string;
  readonly at: Millis;
  /** The webhook has no readable time, so `at` is its arrival. A repeated webhook then has another time. */
  readonly isArrivalTime?: true;
}

export function senderId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.sender)?.id);
}

export function recipientId(event: JsonObject): string | null | undefined {
  return readId(asObject(event.recipient)?.id);
}

/** Whether the account sent the message: the event is marked as an echo, or its sender is the entry's account. */
export function isFromAccount(entry: Entry, event: JsonObject): boolean {
  const sender = senderId(event);
  return asObject(event.message)?.is_echo === true || (!!sender && sender === entry.id && !!recipientId(event));
}

/** The account defaults to the entry's. @returns null when account or person is missing or invalid */
export function readEventContext(entry: Entry, event: JsonObject): EventContext | null {
  const [person, explicitAccountId] = isFromAccount(entry, event)
    ? [recipientId(event), senderId(event)]
    : [senderId(event), recipientId(event)];
  const externalId = explicitAccountId === undefined ? entry.id : explicitAccountId;
  if (!person || !externalId || person === externalId) return null;
  return { account: { platform: entry.platform, externalId }, participantId: person, ...eventTime(entry, event) };
}

/** Who changed a message: the event's sender. */
export function readAuthor(entry: Entry, event: JsonObject): { by: ChangeAuthor } {
  return { by: isFromAccount(entry, event) ? "account" : "participant" };
}

/** The time of the event; defaults to the entry's, then to the arrival of the webhook. */
export function eventTime(entry: Entry, event: JsonObject): Pick<EventContext, "at" | "isArrivalTime"> {
  const at = readTime(event.timestamp) ?? entry.time;
  return at === null ? { at: entry.receivedAt, isArrivalTime: true } : { at };
}

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

const TEXT_CHARS_MAX = 20_000;
const METADATA_CHARS_MAX = 1_000;

/** Reads a message, an echo, an unsend or an unsupported message. @returns null when it is malformed */
export function readMessage(entry: Entry, event: JsonObject, message: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  const messageId = readMessageId(message.mid);
  if (!context || messageId === null) return null;
  if (message.is_deleted === true) {
    return { kind: "unsend", ...context, ...readAuthor(entry, event), messageId };
  }

  const cutText = readText(message.text, TEXT_CHARS_MAX);
  const text = cutText || readLike(entry.dialects, message.attachments);
  const attachments = readAttachments(entry.dialects, message.attachments);
  // A message without readable content still opens the messaging window, and the person expects a reply.
  const isEcho = isFromAccount(entry, event);
  const brought = isEcho ? null : readMessageContext(event, message);
  const isUnsupported = message.is_unsupported === true || (text === "" && attachments.length === 0);
  return {
    kind: "message",
    ...context,
    messageId,
    form: isUnsupported ? "unsupported" : "message",
    text,
    ...truncation(message.text, cutText),
    attachments: isUnsupported && attachments.length === 0 ? [hidden] : attachments,
    replyTo: readMessageId(asObject(message.reply_to)?.mid),
    echo: isEcho ? readEcho(message) : null,
    ...(brought ? { context: brought } : {}),
  };
}

/** Says that a text is longer than what was read of it. */
export function truncation(value: unknown, text: string | null): { readonly isTextTruncated?: true } {
  return typeof value === "string" && text !== null && text.length < value.length ? { isTextTruncated: true } : {};
}

const hidden: Attachment = { type: "unsupported", url: null };

function readEcho(message: JsonObject): NonNullable<MessageUpdate["echo"]> {
  const metadata = message.metadata;
  return {
    appId: readId(message.app_id) ?? null,
    metadata: typeof metadata === "string" && metadata.length <= METADATA_CHARS_MAX ? metadata : null,
  };
}

/** A press on a button, an ice breaker or Get Started becomes a message. Its text is the button's title. */
export function readPostback(entry: Entry, event: JsonObject, postback: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  if (!context || isFromAccount(entry, event)) return null;
  const mid = postback.mid;
  const messageId = mid === undefined || mid === null ? postbackId(context, postback) : readMessageId(mid);
  if (messageId === null) return null;
  const title = readText(postback.title, TEXT_CHARS_MAX);
  return {
    kind: "message",
    ...context,
    messageId,
    form: "postback",
    text: title ?? "",
    ...truncation(postback.title, title),
    attachments: [],
    replyTo: null,
    echo: null,
    context: readPostbackContext(event, postback),
  };
}

// Older postbacks carry no id. An id derived from their fields is the same for every redelivery.
function postbackId({ account, participantId, at }: EventContext, postback: JsonObject): string {
  const payload = readText(postback.payload, TEXT_CHARS_MAX);
  return `postback_${shortHash(JSON.stringify([account.platform, account.externalId, participantId, at, payload]))}`;
}
