import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The paths in a folder, itself included, that others than their owner may use, with their modes. */
export function openPaths(folder: string): string[] {
  return listPaths(folder).flatMap((path) => {
    // A file that is being replaced may already be gone.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    const mode = stats.mode & 0o777;
    return mode === (stats.isDirectory() ? 0o700 : 0o600) ? [] : [`${path} ${mode.toString(8)}`];
  });
}

export function listPaths(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return [folder, ...names.map((name) => join(folder, name))];
}
