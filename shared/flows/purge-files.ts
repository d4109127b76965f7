import type { Files } from "../aws/files.ts";
import { allDone } from "../kernel/parallel.ts";

/** Deletions that run concurrently, each of up to 1,000 files. */
const CONCURRENCY = 4;

/** The files under a prefix whose keys sort below `upTo`. */
export interface FileRange {
  readonly prefix: string;
  readonly upTo: string;
}

/**
 * Deletes the files of these ranges, in the order of their keys. A listing ends at the first file that stays, so keys
 * that sort by time are deleted oldest first. Safe to repeat and to kill: the next run starts with what is left.
 * @param hasTime asked before each page; without time the next run continues
 * @returns `complete`: whether no file is left
 */
export async function purgeFiles(
  files: Pick<Files, "list" | "removeAll">,
  ranges: readonly FileRange[],
  hasTime: () => boolean,
): Promise<{ readonly files: number; readonly complete: boolean }> {
  let purged = 0;
  let complete = true;
  for (const range of ranges) {
    const result = await purgeRange(files, range, hasTime);
    purged += result.files;
    complete &&= result.complete;
  }
  return { files: purged, complete };
}

async function purgeRange(
  files: Pick<Files, "list" | "removeAll">,
  { prefix, upTo }: FileRange,
  hasTime: () => boolean,
): Promise<{ files: number; complete: boolean }> {
  let purged = 0;
  let after: string | null = null;
  while (hasTime()) {
    const pages: string[][] = [];
    let hasMore = true;
    while (hasMore && pages.length < CONCURRENCY) {
      const page: { keys: string[]; next: string | null } = await files.list(prefix, after);
      const expiredKeys = page.keys.filter((key) => key < upTo);
      if (expiredKeys.length > 0) pages.push(expiredKeys);
      after = page.next;
      hasMore = page.next !== null && expiredKeys.length === page.keys.length;
    }
    await allDone(pages.map((keys) => files.removeAll(keys)));
    purged += pages.reduce((sum, keys) => sum + keys.length, 0);
    if (!hasMore) return { files: purged, complete: true };
  }
  return { files: purged, complete: false };
}
