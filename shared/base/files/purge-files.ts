import type { Files } from "../aws/files.ts";

/** Deletions that run concurrently, each of up to 1,000 files. */
const CONCURRENCY = 4;

/** The files under a prefix whose keys sort below `upTo`. */
export interface FileRange {
  readonly prefix: string;
  readonly upTo: string;
}

/** What a purge did. */
interface Purged {
  files: number;
  /** Whether no file is left. */
  complete: boolean;
  readonly faults: unknown[];
}

/**
 * Deletes the files of these ranges, in the order of their keys. A listing ends at the first file that stays, so keys
 * that sort by time are deleted oldest first. Safe to repeat and to kill: the next run starts with what is left. A file
 * that cannot be deleted keeps no file of another page or range.
 * @param hasTime asked before each page; without time the next run continues
 * @returns `complete`: whether no file is left
 * @throws the first fault, after the other files are deleted
 */
export async function purgeFiles(
  files: Pick<Files, "list" | "removeAll">,
  ranges: readonly FileRange[],
  hasTime: () => boolean,
): Promise<{ readonly files: number; readonly complete: boolean }> {
  const purged: Purged = { files: 0, complete: true, faults: [] };
  for (const range of ranges) {
    try {
      const complete = await purgeRange(files, range, purged, hasTime);
      purged.complete &&= complete;
    } catch (fault) {
      purged.faults.push(fault);
    }
  }
  if (purged.faults.length > 0) throw purged.faults[0];
  return { files: purged.files, complete: purged.complete };
}

/** @returns whether it has reached the end of the range */
async function purgeRange(
  files: Pick<Files, "list" | "removeAll">,
  { prefix, upTo }: FileRange,
  purged: Purged,
  hasTime: () => boolean,
): Promise<boolean> {
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
    const results = await Promise.allSettled(pages.map((keys) => files.removeAll(keys)));
    for (const [i, result] of results.entries()) {
      if (result.status === "fulfilled") purged.files += pages[i]?.length ?? 0;
      else purged.faults.push(result.reason);
    }
    if (!hasMore) return true;
  }
  return false;
}
