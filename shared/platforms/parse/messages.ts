import { shortHash } from "#base/kernel/bytes.ts";
import type { Attachment } from "#features/inbox/rules/messages.ts";
import type { MessageUpdate, Update } from "#features/inbox/rules/updates.ts";
import { asObject, type JsonObject, readId, readMessageId, readText } from "../json.ts";
import { readAttachments, readLike } from "./attachments.ts";
import { type Entry, type EventContext, isFromAccount, readAuthor, readEventContext } from "./event-context.ts";
import { readMessageContext, readPostbackContext } from "./message-context.ts";

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

  const text = readText(message.text, TEXT_CHARS_MAX) || readLike(message.attachments);
  const attachments = readAttachments(message.attachments);
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
    attachments: isUnsupported && attachments.length === 0 ? [hidden] : attachments,
    replyTo: readMessageId(asObject(message.reply_to)?.mid),
    echo: isEcho ? readEcho(message) : null,
    ...(brought ? { context: brought } : {}),
  };
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
  const text = readText(postback.title, TEXT_CHARS_MAX) ?? "";
  return {
    kind: "message",
    ...context,
    messageId,
    form: "postback",
    text,
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
