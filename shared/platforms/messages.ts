import type { Attachment } from "../domain/inbox/messages.ts";
import type { MessageUpdate, Update } from "../domain/inbox/updates.ts";
import { shortHash } from "../kernel/bytes.ts";
import { type Entry, type EventContext, isFromAccount, readEventContext } from "./about.ts";
import { readAttachments } from "./attachments.ts";
import { asObject, type JsonObject, readId, readMessageId, readText } from "./json.ts";

const TEXT_CHARS_MAX = 20_000;
const METADATA_CHARS_MAX = 1_000;

/** A message, an echo, an unsend, or a message that the platform will not show us; null when it is malformed. */
export function readMessage(entry: Entry, event: JsonObject, message: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  const messageId = readMessageId(message.mid);
  if (!context || messageId === null) return null;
  if (message.is_deleted === true) return { kind: "unsend", ...context, messageId };

  const text = readText(message.text, TEXT_CHARS_MAX) ?? "";
  const attachments = readAttachments(message.attachments);
  // A message that shows nothing is still a message: it opens the window, and the person expects an answer.
  const isUnsupported = message.is_unsupported === true || (text === "" && attachments.length === 0);
  return {
    kind: "message",
    ...context,
    messageId,
    form: isUnsupported ? "unsupported" : "message",
    text,
    attachments: isUnsupported && attachments.length === 0 ? [hidden] : attachments,
    replyTo: readMessageId(asObject(message.reply_to)?.mid),
    echo: isFromAccount(entry, event) ? readEcho(message) : null,
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

/** A press on a button, an ice breaker or Get Started: a message whose text is the button's title. */
export function readPostback(entry: Entry, event: JsonObject, postback: JsonObject): Update | null {
  const context = readEventContext(entry, event);
  if (!context || isFromAccount(entry, event)) return null;
  const mid = postback.mid;
  const messageId = mid === undefined || mid === null ? postbackId(context, postback) : readMessageId(mid);
  if (messageId === null) return null;
  const text = readText(postback.title, TEXT_CHARS_MAX) ?? "";
  return { kind: "message", ...context, messageId, form: "postback", text, attachments: [], replyTo: null, echo: null };
}

// Older postbacks carry no id. One made of their parts is the same at every delivery, so repeats are seen as such.
function postbackId({ account, participantId, at }: EventContext, postback: JsonObject): string {
  const payload = readText(postback.payload, TEXT_CHARS_MAX);
  return `postback_${shortHash(JSON.stringify([account.platform, account.externalId, participantId, at, payload]))}`;
}
