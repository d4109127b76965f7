import { MEDIA_BYTES_MAX, UPLOAD_HEAD_BYTES } from "#base/kernel/limits.ts";
import type { ClosedType } from "./media-types.ts";

// How a file of each closed type starts. Each check reads the head of a file: its first 4,100 bytes, or all of it.

/** Brands of ISO media files that may contain video, sound or both: their makers do not distinguish them. */
const sharedBrands = new Set(
  "isom iso2 iso3 iso4 iso5 iso6 iso7 iso8 iso9 mp41 mp42 mp71 avc1 mmp4 dash cmfc cmf2 MSNV XAVC".split(" "),
);
const videoBrands = new Set(["M4V ", "M4VH", "M4VP"]);
const audioBrands = new Set(["M4A ", "M4B "]);

const startsByType: Readonly<Record<ClosedType, (head: Buffer) => boolean>> = {
  "image/png": (head) => has(head, 0, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
  "image/jpeg": isJpeg,
  "image/gif": (head) => has(head, 0, "GIF87a") || has(head, 0, "GIF89a"),
  "video/mp4": (head) => sharedBrands.has(majorBrand(head)) || videoBrands.has(majorBrand(head)),
  "video/quicktime": isQuickTime,
  "video/webm": (head) => ebmlDocType(head) === "webm",
  "video/ogg": isOggVideo,
  "video/x-msvideo": (head) => has(head, 0, "RIFF") && has(head, 8, "AVI "),
  "audio/aac": isAac,
  "audio/mp4": (head) => sharedBrands.has(majorBrand(head)) || audioBrands.has(majorBrand(head)),
  "audio/wav": (head) => has(head, 0, "RIFF") && has(head, 8, "WAVE"),
  "application/pdf": (head) => has(head, 0, "%PDF-"),
};

/** Whether a file of this type starts so. @param head the first 4,100 bytes, or all of a shorter file */
export function startsAs(contentType: ClosedType, head: Uint8Array): boolean {
  return startsByType[contentType](Buffer.from(head.buffer, head.byteOffset, head.byteLength));
}

/** One container family of the same kind. Browsers name such a file by its extension, and phones and editors mix them. */
const siblings: Partial<Readonly<Record<ClosedType, ClosedType>>> = {
  "video/mp4": "video/quicktime",
  "video/quicktime": "video/mp4",
};

/**
 * The type that the bytes of a file show, of the family of the type that it claims; null if it starts as none of them.
 * MP4 and QuickTime are one family of video. A sound is no video: a file never changes its kind.
 * @param head the first 4,100 bytes, or all of a shorter file
 */
export function typeByBytes(claimedType: ClosedType, head: Uint8Array): ClosedType | null {
  if (startsAs(claimedType, head)) return claimedType;
  const sibling = siblings[claimedType];
  return sibling && startsAs(sibling, head) ? sibling : null;
}

function has(head: Buffer, at: number, mark: string): boolean {
  return head.toString("latin1", at, at + mark.length) === mark;
}

/** A byte of the head; 0 after its end. */
function byteAt(head: Buffer, at: number): number {
  return head[at] ?? 0;
}

/** The start of image, then the marker of a segment that may come first. `F7` starts a JPEG-LS file. */
function isJpeg(head: Buffer): boolean {
  const marker = byteAt(head, 3);
  return has(head, 0, "\xff\xd8\xff") && marker >= 0xc0 && marker !== 0xff && marker !== 0xf7;
}

/** The major brand of an ISO media file; empty for any other file. HEIC, AVIF and 3GP files have brands of their own. */
function majorBrand(head: Buffer): string {
  // A longer box has more brands than any file; text in place of the size is far larger.
  const isBox = has(head, 0, "\0\0") && has(head, 4, "ftyp") && head.length >= 12;
  return isBox ? head.toString("latin1", 8, 12) : "";
}

/** A brand of its own, or an older file without brands, which starts with one of these boxes. */
function isQuickTime(head: Buffer): boolean {
  if (majorBrand(head) === "qt  ") return true;
  if (!["moov", "mdat", "wide", "free"].includes(head.toString("latin1", 4, 8))) return false;
  // The size of the box: 0 to the end of the file, 1 with 64 bits after the name. Text is larger than any file.
  const size = head.readUInt32BE(0);
  return size <= 1 || (size >= 8 && size <= MEDIA_BYTES_MAX);
}

/** The document type in the header of an EBML file: `webm`, or `matroska`, which is another type. Null without a header. */
function ebmlDocType(head: Buffer): string | null {
  if (!has(head, 0, "\x1a\x45\xdf\xa3")) return null;
  const header = readVint(head, 4);
  const end = Math.min(header.end + header.value, head.length);
  // Each element has an id of 1 to 4 bytes and a size.
  for (let at = header.end; at < end; ) {
    const id = readVint(head, at);
    const size = readVint(head, id.end);
    if (head.toString("hex", at, id.end) === "4282") {
      return head.toString("latin1", size.end, Math.min(size.end + size.value, end)).split("\0", 1)[0] ?? null;
    }
    at = size.end + size.value;
  }
  return null;
}

/** A number of EBML, whose first byte has its length. A length of more than 8 bytes is invalid and ends the file. */
function readVint(head: Buffer, at: number): { readonly value: number; readonly end: number } {
  const first = byteAt(head, at);
  const length = Math.clz32(first) - 23;
  if (length > 8) return { value: 0, end: Number.POSITIVE_INFINITY };
  let value = first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + byteAt(head, at + i);
  return { value, end: at + length };
}

const oggVideoCodecs = ["\x80theora", "\x01video", "OVP80", "BBCD\0"];

/** An Ogg file starts with one page for each of its streams, which names the codec. Ogg files without video are audio. */
function isOggVideo(head: Buffer): boolean {
  const isFirstPage = (at: number) => has(head, at, "OggS\0") && (byteAt(head, at + 5) & 2) !== 0;
  for (let at = 0; isFirstPage(at); ) {
    const segments = byteAt(head, at + 26);
    const data = at + 27 + segments;
    if (oggVideoCodecs.some((codec) => has(head, data, codec))) return true;
    at = head.subarray(at + 27, data).reduce((end, length) => end + length, data);
  }
  return false;
}

/** ADTS frames, also after an ID3 tag that ends in the head. Another frame or the end of the file follows the first one. */
function isAac(head: Buffer): boolean {
  const first = has(head, 0, "ID3") ? id3End(head) : 0;
  const length = adtsFrameLength(head, first);
  if (length === null) return false;
  const second = first + length;
  if (second + 7 <= head.length) return adtsFrameLength(head, second) !== null;
  return second <= head.length || head.length >= UPLOAD_HEAD_BYTES;
}

/** The length of an ADTS frame in bytes; null if none starts here. */
function adtsFrameLength(head: Buffer, at: number): number | null {
  // The sync word with layer 0, then a sampling rate of the table.
  const isFrame = byteAt(head, at) === 0xff && (byteAt(head, at + 1) & 0xf6) === 0xf0;
  if (!isFrame || ((byteAt(head, at + 2) >> 2) & 0xf) > 12) return null;
  const length = ((byteAt(head, at + 3) & 3) << 11) | (byteAt(head, at + 4) << 3) | (byteAt(head, at + 5) >> 5);
  return length >= 7 ? length : null;
}

/** Where an ID3v2 tag ends. Its size has 7 bits in each of 4 bytes. */
function id3End(head: Buffer): number {
  return 10 + [6, 7, 8, 9].reduce((size, at) => size * 128 + (byteAt(head, at) & 0x7f), 0);
}
