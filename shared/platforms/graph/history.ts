import type { CallAccount, ThreadMessage } from "./account-platform.ts";
import type { Dialect } from "./dialect.ts";
import { readIsoTime } from "./graph-call.ts";
import { asObject, type JsonObject, readId, readMessageId } from "./json.ts";

// The platforms describe a message in their history otherwise than in a webhook. Here it gets the webhook's form, so
// that one parser reads both.

/**
 * A message of the history in the form of a webhook's event.
 * @returns null when it is malformed, or the account neither sent nor received it
 */
export function toThreadMessage(
  dialects: readonly Dialect[],
  { externalId }: CallAccount,
  message: JsonObject,
): ThreadMessage | null {
  const id = readMessageId(message.id);
  const at = readIsoTime(message.created_time);
  const sender = readId(asObject(message.from)?.id);
  const recipients = dataList(message.to).map(({ id: recipient }) => readId(recipient));
  const isEcho = sender === externalId;
  const recipient = isEcho ? recipients.find((person) => person !== externalId) : externalId;
  if (id === null || at === null || !sender || !recipient) return null;
  if (!isEcho && !recipients.includes(externalId)) return null;
  return {
    id,
    participantId: isEcho ? recipient : sender,
    direction: isEcho ? "echo" : "inbound",
    at,
    event: {
      sender: { id: sender },
      recipient: { id: recipient },
      message: { mid: id, ...(isEcho ? { is_echo: true } : {}), ...toContent(dialects, message) },
    },
  };
}

/** A webhook's body with these messages of one account. */
export function historyWebhook(
  dialects: readonly Dialect[],
  { platform, externalId }: Pick<CallAccount, "platform" | "externalId">,
  messages: readonly ThreadMessage[],
): Uint8Array {
  const messaging = messages.map(({ event, at }) => ({ ...event, timestamp: at }));
  const time = Math.max(0, ...messages.map(({ at }) => at));
  const object = dialects.find((dialect) => dialect.platform === platform)?.object;
  return Buffer.from(JSON.stringify({ object, entry: [{ id: externalId, time, messaging }] }));
}

function toContent(dialects: readonly Dialect[], message: JsonObject): JsonObject {
  const histories = dialects.map(({ history }) => history);
  const reply = histories.map(({ readReply }) => readReply?.(message)).find((each) => each);
  const shares = dataList(message.shares).filter(({ link }) =>
    histories.every(({ isShared }) => isShared?.(message, link) ?? true),
  );
  const attachments = [
    ...dataList(message.attachments).map(toAttachment),
    ...histories.flatMap(({ readAttachments }) => readAttachments(message)),
    ...shares.map(({ link, name }) => ({ type: "share", payload: { url: link, title: name } })),
  ];
  return {
    ...(typeof message.message === "string" && message.message !== "" ? { text: message.message } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(message.is_unsupported === true ? { is_unsupported: true } : {}),
    ...(reply ? { reply_to: reply } : toReply(asObject(message.reply_to))),
  };
}

function toReply(reply: JsonObject | null): JsonObject {
  const mid = reply?.mid ?? reply?.id;
  return mid === undefined ? {} : { reply_to: { mid } };
}

function toAttachment(attachment: JsonObject): JsonObject {
  const image = asObject(attachment.image_data);
  if (image) {
    return { type: image.render_as_sticker === true ? "sticker" : "image", payload: { url: image.url } };
  }
  const video = asObject(attachment.video_data);
  if (video) return { type: "video", payload: { url: video.url } };
  const template = asObject(attachment.generic_template);
  if (template) return { type: "template", payload: { title: template.title, url: asObject(template.cta)?.url } };
  if (attachment.file_url === undefined) return { type: "unsupported_type" };
  return { type: fileType(attachment.mime_type), payload: { url: attachment.file_url } };
}

function fileType(mimeType: unknown): string {
  const kind = typeof mimeType === "string" ? /^(image|video|audio)\//i.exec(mimeType)?.[1] : undefined;
  return kind?.toLowerCase() ?? "file";
}

/** The objects of `{ data: […] }`. */
export function dataList(value: unknown): JsonObject[] {
  const data = asObject(value)?.data;
  return Array.isArray(data) ? data.map(asObject).filter((item) => item !== null) : [];
}
