import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Writes a file so that a reader, or the next start after a kill, sees the old text or the new one, never a part. */
export function writeWhole(path: string, text: string): void {
  const next = `${path}.next`;
  const file = openSync(next, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(next, path);
}
