import { FILENAME_BYTES_MAX } from "../limits.ts";
import { closedExtension } from "./media-types.ts";

// A file's name is shown to the members of a tenant. No key in storage and no URL contains it.

/** Control, bidirectional and other format characters. Emoji and some scripts need the two joiners. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/**
 * The name of a file without path, control and bidirectional characters; null if it is longer than 255 bytes or nothing
 * remains.
 */
export function cleanFilename(text: string): string | null {
  if (!isWithinLimit(text)) return null;
  const printable = text.replace(UNPRINTABLE, "").normalize("NFC");
  const name = (printable.split(/[/\\]/).at(-1) ?? "").trim();
  return /^\.*$/.test(name) || !isWithinLimit(name) ? null : name;
}

/** The last extension in lower case, without its dot; empty if there is none. Windows ignores dots and spaces at the end. */
export function fileExtension(filename: string): string {
  const name = filename.replace(/[.\s]+$/, "");
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/**
 * The name under which the platform fetches the copy: ASCII, because Instagram refuses other names.
 * @param contentType normalized
 */
export function copyName(id: string, contentType: string, filename: string): string {
  const extension = fileExtension(filename);
  return `${id}.${closedExtension(contentType) ?? (/^[a-z0-9]{1,8}$/.test(extension) ? extension : "bin")}`;
}

function isWithinLimit(text: string): boolean {
  return text.length <= FILENAME_BYTES_MAX && Buffer.byteLength(text) <= FILENAME_BYTES_MAX;
}
