import type { Attachment, AttachmentType } from "../domain/inbox/messages.ts";
import { asObject, type JsonObject } from "./json.ts";

const ATTACHMENTS_MAX = 30;
const URL_CHARS_MAX = 4_096;

// The platforms' words for what we call by the same name, or call a share: something that lives on the platform.
const attachmentTypes: ReadonlyMap<string, AttachmentType> = new Map([
  ...(["image", "video", "audio", "file", "story_mention", "sticker", "location"] as const).map(
    (type) => [type, type] as const,
  ),
  ...[
    "share",
    "ig_post",
    "ig_reel",
    "ig_story",
    "post",
    "reel",
    "story",
    "media",
    "template",
    "fallback",
    "appointment_booking",
    "like_heart",
    "ephemeral",
  ].map((type) => [type, "share"] as const),
]);

/** The attachments of a message, at most 30; what is no object is left out, what we do not know is `unsupported`. */
export function readAttachments(value: unknown): Attachment[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, ATTACHMENTS_MAX)
    .map(asObject)
    .filter((attachment) => attachment !== null)
    .map(readAttachment);
}

function readAttachment(attachment: JsonObject): Attachment {
  const payload = asObject(attachment.payload);
  const type = attachmentType(attachment.type, payload);
  if (type === "unsupported") return { type, url: null };
  const urls = [payload?.url, payload?.story_media_url, attachment.url];
  return { type, url: urls.find(isWebAddress) ?? null };
}

function attachmentType(name: unknown, payload: JsonObject | null): AttachmentType {
  const type = typeof name === "string" ? (attachmentTypes.get(name.toLowerCase()) ?? "unsupported") : "unsupported";
  // Messenger used to send a sticker as an image that names its sticker.
  return type === "image" && payload?.sticker_id != null ? "sticker" : type;
}

function isWebAddress(value: unknown): value is string {
  return typeof value === "string" && value.length <= URL_CHARS_MAX && /^https?:\/\/[!-~\u00a1-\ud7ff]+$/i.test(value);
}
