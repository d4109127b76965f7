import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
/** The mask with which a process creates files that are its owner's alone. */
export const PRIVATE_UMASK = 0o077;

/** Makes a file, or a folder with all its content, its owner's alone. Nothing happens if it does not exist. */
export function makePrivate(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return;
  const mode = stats.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE;
  if ((stats.mode & 0o777) !== mode) chmodSync(path, mode);
  if (stats.isDirectory()) for (const name of readdirSync(path)) makePrivate(join(path, name));
}
