import type { Attachment, AttachmentType, Coordinates } from "#features/inbox/rules/messages.ts";
import { asObject, type JsonObject, readText, readUrl } from "../json.ts";

const ATTACHMENTS_MAX = 30;
const TITLE_CHARS_MAX = 300;

// The platforms' attachment types and ours. A `share` is content on the platform, such as a post. What a person may
// view once, or only in the app, is `unsupported`.
const attachmentTypes: ReadonlyMap<string, AttachmentType> = new Map([
  ...(["image", "video", "audio", "file", "story_mention", "sticker", "location"] as const).map(
    (type) => [type, type] as const,
  ),
  ["like_heart", "sticker"],
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
  ].map((type) => [type, "share"] as const),
]);

/** Reads at most 30 attachments. Skips values that are not objects. An unknown type becomes `unsupported`. */
export function readAttachments(value: unknown): Attachment[] {
  return attachmentObjects(value).map(readAttachment);
}

/** The text of a message that is one like: a heart on Instagram, a thumb on Messenger. Else empty. */
export function readLike(value: unknown): string {
  const [attachment, ...others] = attachmentObjects(value);
  if (!attachment || others.length > 0) return "";
  if (readName(attachment.type) === "like_heart") return "❤";
  return likeStickers.has(String(asObject(attachment.payload)?.sticker_id)) ? "👍" : "";
}

/** The thumb of Messenger in its three sizes. */
const likeStickers: ReadonlySet<string> = new Set(["369239263222822", "369239343222814", "369239383222810"]);

function attachmentObjects(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, ATTACHMENTS_MAX)
    .map(asObject)
    .filter((attachment) => attachment !== null);
}

function readAttachment(attachment: JsonObject): Attachment {
  const payload = asObject(attachment.payload);
  const type = attachmentType(attachment.type, payload);
  if (type === "unsupported") return { type, url: null };
  const urls = [payload?.url, payload?.story_media_url, attachment.url].map(readUrl);
  const title = readTitle(attachment, payload);
  const coordinates = type === "location" ? readCoordinates(asObject(payload?.coordinates)) : null;
  return {
    type,
    url: urls.find((url) => url !== null) ?? null,
    ...(title === null ? {} : { title }),
    ...(coordinates ? { coordinates } : {}),
  };
}

/** The title of shared content; of a template the title of its first element. */
function readTitle(attachment: JsonObject, payload: JsonObject | null): string | null {
  const generic = asObject(payload?.generic)?.elements ?? payload?.generic ?? payload?.elements;
  const element = Array.isArray(generic) ? asObject(generic[0]) : null;
  const titles = [payload?.title, attachment.title, element?.title];
  return titles.map((title) => readText(title, TITLE_CHARS_MAX)?.trim()).find(Boolean) ?? null;
}

function readCoordinates(value: JsonObject | null): Coordinates | null {
  const lat = readDegrees(value?.lat, 90);
  const long = readDegrees(value?.long, 180);
  return lat === null || long === null ? null : { lat, long };
}

/** Rounded to about a centimetre, so that every number can be stored. */
function readDegrees(value: unknown, max: number): number | null {
  const degrees = typeof value === "string" && /^-?\d{1,3}(\.\d{1,20})?$/.test(value) ? Number(value) : value;
  if (typeof degrees !== "number" || !(Math.abs(degrees) <= max)) return null;
  return Math.round(degrees * 1e7) / 1e7 + 0;
}

function attachmentType(name: unknown, payload: JsonObject | null): AttachmentType {
  const type = attachmentTypes.get(readName(name)) ?? "unsupported";
  // Messenger also sends a sticker as an image with a sticker id.
  return type === "image" && payload?.sticker_id != null ? "sticker" : type;
}

function readName(type: unknown): string {
  return typeof type === "string" ? type.toLowerCase() : "";
}
