import { asObject, type JsonObject, readId, readMessageId } from "../json.ts";
import type { CallAccount, ThreadMessage } from "./account-platform.ts";
import { readIsoTime } from "./graph-call.ts";

// The platforms describe a message in their history otherwise than in a webhook. Here it gets the webhook's form, so
// that one parser reads both.

/**
 * A message of the history in the form of a webhook's event.
 * @returns null when it is malformed, or the account neither sent nor received it
 */
export function toThreadMessage({ externalId }: CallAccount, message: JsonObject): ThreadMessage | null {
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
      message: { mid: id, ...(isEcho ? { is_echo: true } : {}), ...toContent(message) },
    },
  };
}

/** A webhook's body with these messages of one account. */
export function toWebhookBody(
  { platform, externalId }: Pick<CallAccount, "platform" | "externalId">,
  messages: readonly ThreadMessage[],
): Uint8Array {
  const messaging = messages.map(({ event, at }) => ({ ...event, timestamp: at }));
  const time = Math.max(0, ...messages.map(({ at }) => at));
  return Buffer.from(
    JSON.stringify({
      object: platform === "instagram" ? "instagram" : "page",
      entry: [{ id: externalId, time, messaging }],
    }),
  );
}

function toContent(message: JsonObject): JsonObject {
  const story = asObject(message.story);
  const repliedStory = asObject(story?.reply_to);
  const attachments = [
    ...dataList(message.attachments).map(toAttachment),
    ...toMention(asObject(story?.mention)),
    ...toShared(message),
  ];
  return {
    ...(typeof message.message === "string" && message.message !== "" ? { text: message.message } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(message.is_unsupported === true ? { is_unsupported: true } : {}),
    ...(repliedStory
      ? { reply_to: { story: { id: repliedStory.id, url: repliedStory.link } } }
      : toReply(asObject(message.reply_to))),
  };
}

function toReply(reply: JsonObject | null): JsonObject {
  const mid = reply?.mid ?? reply?.id;
  return mid === undefined ? {} : { reply_to: { mid } };
}

function toMention(mention: JsonObject | null): JsonObject[] {
  return mention ? [{ type: "story_mention", payload: { url: mention.link } }] : [];
}

/** Messenger repeats the address of a sticker among the shared links. */
function toShared({ sticker, shares }: JsonObject): JsonObject[] {
  const stickers = typeof sticker === "string" ? [{ type: "sticker", payload: { url: sticker } }] : [];
  const links = dataList(shares).filter(({ link }) => link !== sticker);
  return [...stickers, ...links.map(({ link, name }) => ({ type: "share", payload: { url: link, title: name } }))];
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
