// The formats that the simulated platforms accept, by the MIME type that a file is served with. The simulator shares no
// code with the product: a test gives both the same files and compares their verdicts.

/** How much of a file is read, in bytes. */
const startLength = 4_100;
const largestBox = 25 * 1024 * 1024;

interface Format {
  readonly type: "image" | "video" | "audio" | "file";
  readonly matches: (start: Buffer) => boolean;
}

const mixedBrands =
  "isom iso2 iso3 iso4 iso5 iso6 iso7 iso8 iso9 mp41 mp42 mp71 avc1 mmp4 dash cmfc cmf2 MSNV XAVC".split(" ");

const formats: Readonly<Record<string, Format>> = {
  "image/png": { type: "image", matches: (start) => reads(start, 0, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR") },
  "image/jpeg": { type: "image", matches: isJpeg },
  "image/gif": { type: "image", matches: (start) => reads(start, 0, "GIF87a") || reads(start, 0, "GIF89a") },
  "video/mp4": { type: "video", matches: hasBrand([...mixedBrands, "M4V ", "M4VH", "M4VP"]) },
  "video/quicktime": { type: "video", matches: (start) => hasBrand(["qt  "])(start) || isOldQuickTime(start) },
  "video/webm": { type: "video", matches: isWebm },
  "video/ogg": { type: "video", matches: isOggVideo },
  "video/x-msvideo": { type: "video", matches: (start) => reads(start, 0, "RIFF") && reads(start, 8, "AVI ") },
  "audio/aac": { type: "audio", matches: isAac },
  "audio/mp4": { type: "audio", matches: hasBrand([...mixedBrands, "M4A ", "M4B "]) },
  "audio/wav": { type: "audio", matches: (start) => reads(start, 0, "RIFF") && reads(start, 8, "WAVE") },
  "application/pdf": { type: "file", matches: (start) => reads(start, 0, "%PDF-") },
};

/** Whether a file that is served with this MIME type starts as such a file, and is of this type of attachment. */
export function isFormat(mime: string, type: string, bytes: Buffer): boolean {
  const format = Object.hasOwn(formats, mime) ? formats[mime] : undefined;
  return format?.type === type && format.matches(bytes.subarray(0, startLength));
}

function reads(start: Buffer, at: number, mark: string): boolean {
  return start.subarray(at, at + mark.length).equals(Buffer.from(mark, "latin1"));
}

/** The marker after the start of the image is that of a segment, and not of a JPEG-LS file. */
function isJpeg(start: Buffer): boolean {
  const marker = start[3] ?? 0;
  return reads(start, 0, "\xff\xd8\xff") && marker >= 0xc0 && ![0xf7, 0xff].includes(marker);
}

function hasBrand(brands: readonly string[]): (start: Buffer) => boolean {
  return (start) =>
    reads(start, 0, "\0\0") && reads(start, 4, "ftyp") && brands.some((brand) => reads(start, 8, brand));
}

/** A file from before brands. */
function isOldQuickTime(start: Buffer): boolean {
  if (!["moov", "mdat", "wide", "free"].some((name) => reads(start, 4, name))) return false;
  const size = start.readUInt32BE(0);
  return size === 0 || size === 1 || (size >= 8 && size <= largestBox);
}

/** The header names the type of the document, with a size of one or two bytes before it. */
function isWebm(start: Buffer): boolean {
  const at = start.indexOf(Buffer.from([0x42, 0x82]), 4);
  return reads(start, 0, "\x1a\x45\xdf\xa3") && at > 0 && [3, 4].some((sizeEnd) => reads(start, at + sizeEnd, "webm"));
}

/** One of the first pages is that of a video. The header of each codec fits into one segment. */
function isOggVideo(start: Buffer): boolean {
  if (!reads(start, 0, "OggS\0")) return false;
  for (let at = 0; at >= 0; at = start.indexOf("OggS\0", at + 1, "latin1")) {
    const isFirst = ((start[at + 5] ?? 0) & 2) === 2;
    const codecs = ["\x80theora", "\x01video", "OVP80", "BBCD\0"];
    if (isFirst && codecs.some((codec) => reads(start, at + 28, codec))) return true;
  }
  return false;
}

/** Frames one after the other, also behind an ID3 tag. */
function isAac(start: Buffer): boolean {
  const tag = reads(start, 0, "ID3") ? 10 + [...start.subarray(6, 10)].reduce((sum, part) => sum * 128 + part, 0) : 0;
  const end = frameEnd(start, tag);
  if (end === null) return false;
  if (end + 7 <= start.length) return frameEnd(start, end) !== null;
  return end <= start.length || start.length === startLength;
}

/** Where the ADTS frame at a position ends; null if there is none. */
function frameEnd(start: Buffer, at: number): number | null {
  const [sync = 0, version = 0, rate = 0, high = 0, middle = 0, low = 0] = start.subarray(at, at + 6);
  const isFrame = sync === 0xff && (version & 0xf6) === 0xf0 && ((rate >> 2) & 15) < 13;
  const length = ((high & 3) << 11) | (middle << 3) | (low >> 5);
  return isFrame && length >= 7 ? at + length : null;
}
