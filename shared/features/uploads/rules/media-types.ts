import { CONTENT_TYPE_CHARS_MAX, FILENAME_BYTES_MAX, IMAGE_BYTES_MAX, MEDIA_BYTES_MAX } from "#base/kernel/limits.ts";
import { removeUnprintable } from "#base/kernel/text/printable.ts";
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

// A file's name is shown to the members of a tenant. No key in storage and no URL contains it or a part of it, except a
// common extension.

/** Half of a character, which no file system stores. */
const SURROGATES = /\p{Cs}/gu;

/**
 * The name of a file without path, control and bidirectional characters; null if it is longer than 255 bytes or nothing
 * remains.
 */
export function cleanFilename(text: string): string | null {
  if (!isWithinLimit(text)) return null;
  const printable = removeUnprintable(text.replace(SURROGATES, "")).normalize("NFC");
  const name = (printable.split(/[/\\]/).at(-1) ?? "").trim();
  return /^\.*$/.test(name) || !isWithinLimit(name) ? null : name;
}

/** The last extension in lower case, without its dot; empty if there is none. Windows ignores dots and spaces at the end. */
export function fileExtension(filename: string): string {
  let end = filename.length;
  while (end > 0 && /[.\s]/.test(filename.charAt(end - 1))) end--;
  const name = filename.slice(0, end);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** Extensions of common types. Any other one may be a part of a name, such as that of `Invoice.Mueller`. */
const commonExtensions = new Set(
  [
    "doc docx dot dotx xls xlsx xlt xltx xlsb ppt pptx pot potx pps ppsx odt ods odp odg vsd vsdx pages numbers key",
    "rtf txt md csv tsv log json xml yaml yml toml ics vcf eml msg mbox epub mobi tex",
    "zip gz tgz bz2 xz zst tar 7z rar pgp gpg asc sig p7m p7s pem crt cer",
    "png jpg jpeg jpe gif heic heif avif webp tif tiff bmp ico psd ai eps indd dng raw jxl jp2",
    "mp4 m4v mov webm ogv avi mkv wmv flv 3gp 3g2 mpg mpeg mts srt vtt",
    "aac m4a m4b wav mp3 flac ogg oga opus amr wma aif aiff mid midi pdf",
    "dwg dxf stl obj step stp skp gpx kml kmz geojson ttf otf woff woff2 sqlite db parquet dat bin",
  ].flatMap((names) => names.split(" ")),
);

/**
 * The name under which the platform fetches the copy: ASCII, because Instagram refuses other names.
 * @param contentType normalized
 */
export function copyName(id: string, contentType: string, filename: string): string {
  const extension = fileExtension(filename);
  return `${id}.${closedExtension(contentType) ?? (commonExtensions.has(extension) ? extension : "bin")}`;
}

function isWithinLimit(text: string): boolean {
  return text.length <= FILENAME_BYTES_MAX && Buffer.byteLength(text) <= FILENAME_BYTES_MAX;
}
