import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The files of a page as a function reads them. @param build writes them into a folder */
export async function builtPage<T>(build: (folder: string) => unknown, read: (folder: string) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "built-page-"));
  try {
    await build(folder);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
