import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";

/** Writes a file atomically: a reader, or the next start after a kill, sees the old text or the new text. */
export function writeFileAtomic(path: string, text: string): void {
  const temporary = `${path}.next`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
