import type { Account } from "../world/model.ts";
import { isFormat } from "./file-formats.ts";

const megabyte = 1024 * 1024;

/** The maximum size of a file of the type, in bytes. */
export function fileBytesMax(type: string): number {
  return (type === "image" ? 8 : 25) * megabyte;
}

/** Whether a file may be uploaded as this type, by the MIME type that it is served with and its first bytes. */
export function isAllowedType(
  account: Pick<Account, "connection">,
  type: string,
  mime: string,
  bytes: Buffer,
): boolean {
  // Messenger accepts any file as type `file`.
  if (type === "file" && account.connection === "messenger") return true;
  if (mime === "image/gif" && account.connection === "instagram_login") return false;
  return isFormat(mime, type, bytes);
}
