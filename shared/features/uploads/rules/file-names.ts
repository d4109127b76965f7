import { FILENAME_BYTES_MAX } from "#base/kernel/limits.ts";
import { removeUnprintable } from "#base/kernel/text/printable.ts";
import { closedExtension } from "./media-types.ts";

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
  const name = filename.replace(/(?<![.\s])[.\s]+$/, "");
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
