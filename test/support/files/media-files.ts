import { crc32, deflateSync } from "node:zlib";
import { latin1, oggCrc, u16be, u16le, u32be, u32le } from "./bytes.ts";

// Small files of each accepted type, built as their formats define them.

export const mediaFiles = {
  "image/png": png,
  "image/jpeg": () => jpeg(),
  "image/gif": () => gif(),
  "video/mp4": () => isoMedia("isom", "vide"),
  "video/quicktime": () => isoMedia("qt  ", "vide"),
  "video/webm": () => webm(),
  "video/ogg": () => ogg([oggSkeleton, oggVorbis, oggTheora]),
  "video/x-msvideo": avi,
  "audio/aac": () => aac(),
  "audio/mp4": () => isoMedia("M4A ", "soun"),
  "audio/wav": wav,
  "application/pdf": pdf,
} as const satisfies Readonly<Record<string, () => Buffer>>;

export type MediaFileType = keyof typeof mediaFiles;

/** A file of the type and of exactly this many bytes: the formats allow bytes after their end. */
export function mediaFileOfSize(contentType: MediaFileType, size: number): Buffer {
  return Buffer.concat([mediaFiles[contentType](), Buffer.alloc(size)], size);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([latin1(type), data]);
  return Buffer.concat([u32be(data.length), body, u32be(crc32(body))]);
}

export const pngSignature = latin1("\x89PNG\r\n\x1a\n");

/** A red pixel. */
function png(): Buffer {
  return Buffer.concat([
    pngSignature,
    pngChunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    pngChunk("IDAT", deflateSync(Buffer.from([0, 255, 0, 0]))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A pixel without a picture: the segments of a JPEG. @param first the segment after the start of image */
export function jpeg(first: Buffer = jpegSegment(0xe0, latin1("JFIF\0\x01\x01\0\0\x01\0\x01\0\0"))): Buffer {
  return Buffer.concat([
    latin1("\xff\xd8"),
    first,
    jpegSegment(0xdb, Buffer.alloc(65, 16)),
    jpegSegment(0xc0, Buffer.from([8, 0, 1, 0, 1, 1, 1, 0x11, 0])),
    jpegSegment(0xc4, Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(15), Buffer.from([0])])),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    latin1("\x7f\xff\xd9"),
  ]);
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), u16be(data.length + 2), data]);
}

export function gif(version = "GIF89a"): Buffer {
  return latin1(`${version}\x01\0\x01\0\x80\0\0\xff\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;`);
}

export function isoBox(type: string, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([u32be(data.length + 8), latin1(type), data]);
}

/** A file of one empty track. @param handler `vide` or `soun` */
export function isoMedia(majorBrand: string, handler: "vide" | "soun"): Buffer {
  const movieHeader = isoBox("mvhd", Buffer.alloc(12), u32be(1000), Buffer.alloc(84));
  const media = isoBox("mdia", isoBox("hdlr", Buffer.alloc(8), latin1(handler), Buffer.alloc(13)));
  return Buffer.concat([
    isoBox("ftyp", latin1(majorBrand), u32be(512), latin1(majorBrand), latin1("isom")),
    isoBox("moov", movieHeader, isoBox("trak", media)),
    isoBox("mdat", Buffer.alloc(16)),
  ]);
}

/** @param id in hex */
export function ebmlElement(id: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, "hex"), Buffer.from([0x40 | (data.length >> 8), data.length & 255]), data]);
}

export function webm(documentType = "webm"): Buffer {
  const one = Buffer.from([1]);
  const header = ebmlElement(
    "1a45dfa3",
    Buffer.concat([
      ebmlElement("4286", one),
      ebmlElement("42f7", one),
      ebmlElement("42f2", Buffer.from([4])),
      ebmlElement("42f3", Buffer.from([8])),
      ebmlElement("4282", latin1(documentType)),
      ebmlElement("4287", Buffer.from([4])),
      ebmlElement("4285", Buffer.from([2])),
    ]),
  );
  const info = ebmlElement("1549a966", ebmlElement("2ad7b1", Buffer.from([15, 66, 64])));
  return Buffer.concat([header, ebmlElement("18538067", info)]);
}

export const oggSkeleton = Buffer.concat([latin1("fishead\0"), Buffer.alloc(56)]);
export const oggVorbis = Buffer.concat([latin1("\x01vorbis"), Buffer.alloc(23)]);
export const oggTheora = Buffer.concat([latin1("\x80theora\x03\x02\x01"), Buffer.alloc(32)]);

/** First pages of the streams, each with its packet, then a page of data. */
export function ogg(packets: readonly Buffer[]): Buffer {
  const pages = packets.map((packet, stream) => oggPage(2, stream, packet));
  return Buffer.concat([...pages, oggPage(4, 0, Buffer.alloc(16))]);
}

function oggPage(flags: number, stream: number, packet: Buffer): Buffer {
  const page = Buffer.concat([
    latin1("OggS\0"),
    Buffer.from([flags]),
    Buffer.alloc(8),
    u32le(stream + 1),
    Buffer.alloc(8),
    Buffer.from([1, packet.length]),
    packet,
  ]);
  u32le(oggCrc(page)).copy(page, 22);
  return page;
}

export function riffChunk(type: string, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  return Buffer.concat([latin1(type), u32le(data.length), data]);
}

function avi(): Buffer {
  const headers = riffChunk("LIST", latin1("hdrl"), riffChunk("avih", Buffer.alloc(56)));
  return riffChunk("RIFF", latin1("AVI "), headers, riffChunk("LIST", latin1("movi")));
}

/** A tenth of a second of silence. */
function wav(): Buffer {
  const format = Buffer.concat([u16le(1), u16le(1), u32le(8000), u32le(8000), u16le(1), u16le(8)]);
  return riffChunk("RIFF", latin1("WAVE"), riffChunk("fmt ", format), riffChunk("data", Buffer.alloc(800, 128)));
}

/** ADTS frames. @param second the second byte: MPEG-4 or 2, with or without a checksum */
export function aac(second = 0xf1): Buffer {
  const length = 32;
  const header = Buffer.from([0xff, second, 0x50, 0x80, length >> 3, ((length & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(
    Array.from({ length: 8 }, () => Buffer.concat([header, Buffer.alloc(length - header.length, 33)])),
  );
}

/** An ID3v2 tag with this many bytes after its header. */
export function id3(size: number): Buffer {
  return Buffer.concat([latin1("ID3\x04\0\0"), Buffer.from([0, 0, size >> 7, size & 127]), Buffer.alloc(size)]);
}

function pdf(): Buffer {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join("")}`;
  return latin1(`${text}${table}trailer<</Root 1 0 R/Size 4>>\nstartxref\n${text.length}\n%%EOF\n`);
}
