import type { Account } from "../world/model.ts";

const megabyte = 1024 * 1024;

/** The maximum size of a file of the type, in bytes. */
export function fileBytesMax(type: string): number {
  return (type === "image" ? 8 : 25) * megabyte;
}

type Kind = "png" | "jpeg" | "gif" | "mp4" | "webm" | "ogg" | "avi" | "wav" | "aac" | "pdf";

const magicBytes: readonly (readonly [Kind, number, string])[] = [
  ["png", 0, "\x89PNG\r\n\x1a\n"],
  ["jpeg", 0, "\xff\xd8\xff"],
  ["gif", 0, "GIF8"],
  // MP4, MOV and M4A share one container format.
  ["mp4", 4, "ftyp"],
  ["webm", 0, "\x1a\x45\xdf\xa3"],
  ["ogg", 0, "OggS"],
  ["avi", 8, "AVI "],
  ["wav", 8, "WAVE"],
  ["aac", 0, "\xff\xf1"],
  ["aac", 0, "\xff\xf9"],
  ["pdf", 0, "%PDF-"],
];

const kindsByType: Record<string, readonly Kind[]> = {
  image: ["png", "jpeg", "gif"],
  video: ["mp4", "webm", "ogg", "avi"],
  audio: ["mp4", "aac", "wav"],
  file: ["pdf"],
};

/** The kind of a file by its first bytes, independent of its name. */
function detectKind(bytes: Buffer): Kind | undefined {
  const head = bytes.subarray(0, 16).toString("latin1");
  return magicBytes.find(([, at, mark]) => head.startsWith(mark, at))?.[0];
}

/** Whether a file may be uploaded as this type, by its declared MIME type and its first bytes. */
export function isAllowedType(account: Account, type: string, mime: string, bytes: Buffer): boolean {
  // Messenger accepts any file as type `file`.
  if (type === "file" && account.connection === "messenger") return true;
  if (type !== "file" && !mime.startsWith(`${type}/`)) return false;
  const kind = detectKind(bytes);
  if (kind === "gif" && account.connection === "instagram_login") return false;
  return kind !== undefined && (kindsByType[type] ?? []).includes(kind);
}
