import { CONTENT_TYPE_CHARS_MAX, IMAGE_BYTES_MAX, MEDIA_BYTES_MAX } from "#base/kernel/limits.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { type MediaType, mediaTypes } from "#features/sending/rules/send-content.ts";

// Which content types the platforms accept. A closed type has a signature, which a file of that type must start with.

interface ClosedTypeRules {
  readonly type: MediaType;
  readonly extension: string;
  /** Other names of the same type. Browsers and systems disagree about them. */
  readonly aliases: readonly string[];
}

const closedTypes = {
  "image/png": { type: "image", extension: "png", aliases: ["image/x-png"] },
  "image/jpeg": { type: "image", extension: "jpg", aliases: ["image/jpg", "image/pjpeg"] },
  "image/gif": { type: "image", extension: "gif", aliases: [] },
  "video/mp4": { type: "video", extension: "mp4", aliases: ["video/m4v", "video/x-m4v", "video/x-mp4"] },
  "video/quicktime": { type: "video", extension: "mov", aliases: ["video/mov", "video/x-quicktime"] },
  "video/webm": { type: "video", extension: "webm", aliases: [] },
  "video/ogg": { type: "video", extension: "ogv", aliases: ["video/x-ogg"] },
  "video/x-msvideo": { type: "video", extension: "avi", aliases: ["video/avi", "video/msvideo", "video/vnd.avi"] },
  "audio/aac": { type: "audio", extension: "aac", aliases: ["audio/aacp", "audio/x-aac", "audio/x-hx-aac-adts"] },
  "audio/mp4": { type: "audio", extension: "m4a", aliases: ["audio/m4a", "audio/x-m4a", "audio/mp4a-latm"] },
  "audio/wav": {
    type: "audio",
    extension: "wav",
    aliases: ["audio/wave", "audio/x-wav", "audio/x-pn-wav", "audio/vnd.wave"],
  },
  "application/pdf": { type: "file", extension: "pdf", aliases: ["application/x-pdf"] },
} as const satisfies Record<string, ClosedTypeRules>;

export type ClosedType = keyof typeof closedTypes;

export const closedTypeNames = Object.keys(closedTypes) as ClosedType[];

const canonicalTypes = new Map<string, ClosedType>(
  closedTypeNames.flatMap((name) => closedTypes[name].aliases.map((alias) => [alias, name] as const)),
);

/** Whether a file of the type must start with a signature. @param contentType normalized */
export function isClosedType(contentType: string): contentType is ClosedType {
  return Object.hasOwn(closedTypes, contentType);
}

/** The extension of a closed type; null for any other type. @param contentType normalized */
export function closedExtension(contentType: string): string | null {
  return isClosedType(contentType) ? closedTypes[contentType].extension : null;
}

const TOKEN = "[a-z0-9][a-z0-9!#$&^_.+-]*";
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`);

/** A content type in lower case, without parameters, aliases replaced; null if it is malformed. */
export function normalizeContentType(text: string): string | null {
  const [name = ""] = text.split(";", 1);
  // A name may have blanks around it. A text without a semicolon may be as long as a body.
  if (name.length > 2 * CONTENT_TYPE_CHARS_MAX) return null;
  const contentType = name.trim().toLowerCase();
  if (contentType.length > CONTENT_TYPE_CHARS_MAX || !CONTENT_TYPE.test(contentType)) return null;
  return canonicalTypes.get(contentType) ?? contentType;
}

/** The type of the attachment, if the client does not declare it. @param contentType normalized */
export function inferType(contentType: string): MediaType {
  const [family] = contentType.split("/", 1);
  return mediaTypes.find((type) => type === family && type !== "file") ?? "file";
}

/**
 * Whether an account takes files of a content type as `type`. Messenger takes any content type as `file`, also that of
 * an image, a video or a sound. Programs are refused elsewhere.
 * @param contentType normalized
 */
export function isAcceptedType(connection: Connection, type: MediaType, contentType: string): boolean {
  if (connection === "messenger" && type === "file") return true;
  return acceptedTypes(connection, type).includes(contentType as ClosedType);
}

/** The closed types that an account takes as `type`. */
export function acceptedTypes(connection: Connection, type: MediaType): ClosedType[] {
  return closedTypeNames.filter(
    (name) => closedTypes[name].type === type && !(name === "image/gif" && connection === "instagram_login"),
  );
}

/** The limit of a file, in bytes. */
export function maxUploadSize(type: MediaType): number {
  return type === "image" ? IMAGE_BYTES_MAX : MEDIA_BYTES_MAX;
}
