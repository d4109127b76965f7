import type { FileKind, Platform } from "../../data/types.ts";
import { texts } from "./texts.ts";

// Which files a platform takes: the limits of the API, checked before anything is uploaded.

const MB = 2 ** 20;
export const IMAGES_MAX = 10;
const limitsMb: Readonly<Record<FileKind, number>> = { image: 8, video: 25, audio: 25, file: 25 };

const kinds: Readonly<Record<string, FileKind>> = {
  "image/png": "image",
  "image/jpeg": "image",
  "video/mp4": "video",
  "video/quicktime": "video",
  "video/webm": "video",
  "video/ogg": "video",
  "video/x-msvideo": "video",
  "audio/aac": "audio",
  "audio/mp4": "audio",
  "audio/wav": "audio",
  "application/pdf": "file",
};

const otherNames: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/m4a": "audio/mp4",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/x-aac": "audio/aac",
  "video/avi": "video/x-msvideo",
};

/** Extensions of pictures whose type some browsers do not name. */
const extensions: Readonly<Record<string, string>> = {
  heic: "image/heic",
  heif: "image/heif",
  avif: "image/avif",
  webp: "image/webp",
};

/** What is known of a file before it is uploaded. */
export interface ChosenFile {
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** - `take`: as it is. - `convert`: a picture that becomes a JPEG first. - `refuse`: with the reason, a whole sentence. */
export type FileVerdict =
  | { readonly kind: "take"; readonly as: FileKind; readonly contentType: string }
  | { readonly kind: "convert" }
  | { readonly kind: "refuse"; readonly reason: string };

/**
 * Whether a platform takes a file.
 * @param gif whether the account takes GIFs: one that is connected by way of a page
 */
export function checkFile(platform: Platform, file: ChosenFile, gif = platform !== "instagram"): FileVerdict {
  if (file.size === 0) return refuse(texts.files.empty);
  const contentType = contentTypeOf(file);
  const as = contentType === "image/gif" && gif ? "image" : kinds[contentType];
  if (as !== undefined) {
    if (file.size <= limitsMb[as] * MB) return { kind: "take", as, contentType };
    return as === "image" && contentType !== "image/gif"
      ? { kind: "convert" }
      : refuse(texts.files.tooLarge(limitsMb[as]));
  }
  if (contentType.startsWith("image/") && contentType !== "image/svg+xml") return { kind: "convert" };
  return asFile(platform, file);
}

/** Whether a platform takes what is no picture, video or sound, or what could not be turned into one, as a file. */
export function asFile(platform: Platform, file: ChosenFile): FileVerdict {
  if (platform === "instagram") return refuse(texts.files.wrongType);
  if (file.size > limitsMb.file * MB) return refuse(texts.files.tooLarge(limitsMb.file));
  return { kind: "take", as: "file", contentType: contentTypeOf(file) || "application/octet-stream" };
}

/** Why a file cannot go with those that are there; null when it can. Pictures go together, up to ten; all else goes alone. */
export function togetherProblem(others: readonly FileKind[], next: FileKind): string | null {
  if (others.length === 0) return null;
  if (next !== "image") return texts.files.alone(next);
  const [other] = others.filter((kind) => kind !== "image");
  if (other !== undefined) return texts.files.besides(other);
  return others.length >= IMAGES_MAX ? texts.files.tooMany(IMAGES_MAX) : null;
}

function contentTypeOf({ name, type }: ChosenFile): string {
  const plain = type.toLowerCase().split(";")[0]?.trim() ?? "";
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return otherNames[plain] ?? (plain || (extensions[extension] ?? ""));
}

function refuse(reason: string): FileVerdict {
  return { kind: "refuse", reason };
}
