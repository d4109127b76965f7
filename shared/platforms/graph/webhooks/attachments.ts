import type { Attachment, AttachmentType, Coordinates } from "#features/inbox/rules/messages.ts";
import type { Dialect } from "../dialect.ts";
import { asObject, type JsonObject, readText, readUrl } from "../json.ts";

const ATTACHMENTS_MAX = 30;
const TITLE_CHARS_MAX = 300;

// The attachment types that all platforms have, and ours. A `share` is content on the platform, such as a post. What a
// person may view once, or only in the app, is `unsupported`.
const commonTypes: ReadonlyMap<string, AttachmentType> = new Map([
  ["image", "image"],
  ["video", "video"],
  ["audio", "audio"],
  ["file", "file"],
  ["ig_post", "share"],
  ["ig_reel", "share"],
  ["reel", "share"],
  ["template", "share"],
]);

/** Reads at most 30 attachments. Skips values that are not objects. An unknown type becomes `unsupported`. */
export function readAttachments(dialects: readonly Dialect[], value: unknown): Attachment[] {
  return attachmentObjects(value).map((attachment) => readAttachment(dialects, attachment));
}

/** The text of a message that is one like: a heart on Instagram, a thumb on Messenger. Else empty. */
export function readLike(dialects: readonly Dialect[], value: unknown): string {
  const [attachment, ...others] = attachmentObjects(value);
  if (!attachment || others.length > 0) return "";
  const [type, payload] = [readName(attachment.type), asObject(attachment.payload)];
  return dialects.map(({ readLike }) => readLike(type, payload)).find((like) => like !== null) ?? "";
}

function attachmentObjects(value: unknown): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, ATTACHMENTS_MAX)
    .map(asObject)
    .filter((attachment) => attachment !== null);
}

function readAttachment(dialects: readonly Dialect[], attachment: JsonObject): Attachment {
  const payload = asObject(attachment.payload);
  const type = attachmentType(dialects, readName(attachment.type), payload);
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

function attachmentType(dialects: readonly Dialect[], name: string, payload: JsonObject | null): AttachmentType {
  const types = [commonTypes, ...dialects.map(({ attachmentTypes }) => attachmentTypes)];
  const type = types.map((each) => each.get(name)).find((each) => each !== undefined) ?? "unsupported";
  return type === "image" && dialects.some(({ isSticker }) => isSticker?.(payload)) ? "sticker" : type;
}

function readName(type: unknown): string {
  return typeof type === "string" ? type.toLowerCase() : "";
}
