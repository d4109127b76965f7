import { latin1, u32be } from "./bytes.ts";
import {
  aac,
  ebmlElement,
  gif,
  id3,
  isoBox,
  isoMedia,
  jpeg,
  jpegSegment,
  type MediaFileType,
  ogg,
  oggSkeleton,
  oggTheora,
  oggVorbis,
  pngChunk,
  pngSignature,
  riffChunk,
  webm,
} from "./media-files.ts";

// Starts of files that are of an accepted type in an uncommon way, and starts of their relatives, which are not.

/** An ISO media file does not say at its start whether it contains sound only. */
export const sharedIsoTypes: readonly MediaFileType[] = ["video/mp4", "audio/mp4"];

/** Each with the types as which it starts. */
export const acceptedVariants: readonly (readonly [name: string, head: Buffer, types: readonly MediaFileType[]])[] = [
  ["JPEG with Exif", jpeg(jpegSegment(0xe1, latin1("Exif\0\0"))), ["image/jpeg"]],
  ["JPEG with a table first", jpeg(jpegSegment(0xdb, Buffer.alloc(65, 1))), ["image/jpeg"]],
  ["JPEG with a comment first", jpeg(jpegSegment(0xfe, latin1("x"))), ["image/jpeg"]],
  ["GIF of 1987", gif("GIF87a"), ["image/gif"]],
  ["animated PNG", animatedPng(), ["image/png"]],
  ...["isom", "iso2", "iso5", "iso6", "mp41", "mp42", "avc1", "dash", "MSNV", "XAVC"].map(
    (brand): readonly [string, Buffer, readonly MediaFileType[]] => [
      `ISO media ${brand}`,
      isoMedia(brand, "vide"),
      sharedIsoTypes,
    ],
  ),
  ["M4V", isoMedia("M4V ", "vide"), ["video/mp4"]],
  ["M4B", isoMedia("M4B ", "soun"), ["audio/mp4"]],
  ["QuickTime without brands", isoBox("moov", Buffer.alloc(9)), ["video/quicktime"]],
  ["QuickTime, data first", isoBox("mdat", Buffer.alloc(9)), ["video/quicktime"]],
  ["QuickTime, padded", isoBox("wide"), ["video/quicktime"]],
  ["QuickTime, free space first", isoBox("free", Buffer.alloc(9)), ["video/quicktime"]],
  ["QuickTime with a long size", latin1("\0\0\0\x01mdat\0\0\0\0\0\0\0\x20"), ["video/quicktime"]],
  ["WebM with an element before its type", webmWithVoid(), ["video/webm"]],
  ["WebM whose type is padded", webm("webm\0\0"), ["video/webm"]],
  ["Ogg, video only", ogg([oggTheora]), ["video/ogg"]],
  ["Ogg with sound first", ogg([oggVorbis, oggTheora]), ["video/ogg"]],
  ["Ogg media of 2002", ogg([latin1("\x01video\0\0\0DIVX")]), ["video/ogg"]],
  ["AAC of MPEG-2", aac(0xf9), ["audio/aac"]],
  ["AAC with a checksum", aac(0xf0), ["audio/aac"]],
  ["AAC of MPEG-2 with a checksum", aac(0xf8), ["audio/aac"]],
  ["AAC after a tag", Buffer.concat([id3(300), aac()]), ["audio/aac"]],
  ["one AAC frame", aac().subarray(0, 32), ["audio/aac"]],
  ["AAC whose first frame ends after the head", Buffer.concat([id3(4_080), aac()]).subarray(0, 4_100), ["audio/aac"]],
];

export const refusedRelatives: readonly (readonly [name: string, head: Buffer])[] = [
  ["an empty file", Buffer.alloc(0)],
  ["one byte", Buffer.from([0xff])],
  ["4,100 zeros", Buffer.alloc(4_100)],
  ["a PNG signature alone", pngSignature],
  ["PNG of an iPhone app", Buffer.concat([pngSignature, pngChunk("CgBI", Buffer.alloc(4))])],
  ["JPEG-LS", latin1("\xff\xd8\xff\xf7\0\x0b")],
  ["JPEG start without a segment", latin1("\xff\xd8\xff\xff")],
  ["JPEG XL", latin1("\xff\x0a\0\0")],
  ["JPEG 2000", latin1("\0\0\0\x0cjP  \r\n\x87\n")],
  ["GIF of no version", gif("GIF88a")],
  ["WebP", riffChunk("RIFF", latin1("WEBPVP8 "))],
  ["BMP", latin1("BM\0\0\0\0\0\0")],
  ["TIFF", latin1("II*\0\x08\0\0\0")],
  ...["heic", "heix", "mif1", "msf1", "avif", "avis", "3gp4", "3gp5", "3g2a", "F4V ", "M4P ", "crx ", "jp2 "].map(
    (brand): [string, Buffer] => [`ISO media ${brand}`, isoMedia(brand, "vide")],
  ),
  ["a text with the name of a box", latin1("The free dictionary, the wide world, the mdat")],
  ["a text with ftyp", latin1("The ftypisom box")],
  ["Matroska", webm("matroska")],
  ["EBML without a type", ebmlElement("1a45dfa3", Buffer.from([0x42, 0x86, 0x81, 1]))],
  ["EBML whose element never ends", latin1("\x1a\x45\xdf\xa3\xff\x42\x86\xff\xff\xff\xff\xff")],
  ["EBML with a length of zero bytes", latin1("\x1a\x45\xdf\xa3\0\0\0\0\0\0\0\0")],
  ["Ogg Vorbis", ogg([oggVorbis])],
  ["Ogg with a skeleton and sound", ogg([oggSkeleton, oggVorbis])],
  ["Ogg Opus", ogg([latin1("OpusHead\x01")])],
  ["Ogg FLAC", ogg([latin1("\x7fFLAC\x01")])],
  ["WAV of 64 bits", riffChunk("RF64", latin1("WAVE"))],
  ["WAV, big-endian", riffChunk("RIFX", latin1("WAVE"))],
  ["ADIF", latin1("ADIF\0\0\0\0")],
  ["LATM", latin1("\x56\xe0\0\0\0\0\0\0")],
  ["MP3", latin1("\xff\xfb\x90\x64\0\0\0\0")],
  ["MP3 after a tag", Buffer.concat([id3(300), latin1("\xff\xfb\x90\x64\0\0\0\0")])],
  ["AAC after a tag that is longer than the head", Buffer.concat([id3(8_000), aac()]).subarray(0, 4_100)],
  ["an AAC frame without its end", aac().subarray(0, 20)],
  ["an AAC sync word before text", latin1(`\xff\xf1P\x80\x04\x1f\xfc${"text ".repeat(40)}`)],
  ["an AAC frame shorter than its header", latin1("\xff\xf1\x50\x80\0\x1f\xfc")],
  ["AAC of a reserved sampling rate", latin1("\xff\xf1\x74\x80\x04\x1f\xfc")],
  ["FLAC", latin1("fLaC\0\0\0\x22")],
  ["PDF after junk", latin1(`\n${"%PDF-1.4"}`)],
  ["a PDF without its version", latin1("%PDF 1.4")],
  ["ZIP", latin1("PK\x03\x04")],
  ["MPEG program stream", latin1("\0\0\x01\xba")],
];

function animatedPng(): Buffer {
  const header = pngChunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]));
  return Buffer.concat([pngSignature, header, pngChunk("acTL", Buffer.concat([u32be(1), u32be(0)]))]);
}

function webmWithVoid(): Buffer {
  return ebmlElement(
    "1a45dfa3",
    Buffer.concat([ebmlElement("ec", Buffer.alloc(200)), ebmlElement("4282", latin1("webm"))]),
  );
}
