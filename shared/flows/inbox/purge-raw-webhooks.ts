import {
  LARGE_WEBHOOKS_PREFIX,
  largeWebhookKey,
  purgedBefore,
  RAW_COPIES_PREFIX,
  rawCopiesFolder,
} from "../../domain/inbox/raw-webhooks.ts";
import { ulidFloor } from "../../kernel/ids.ts";
import { allDone } from "../../kernel/parallel.ts";
import type { Millis } from "../../kernel/time.ts";
import type { PurgePorts } from "./ports.ts";

/** Deletions that run concurrently, each of up to 1,000 files. */
const CONCURRENCY = 4;

/**
 * Deletes the files of raw webhooks whose retention ends before the next purge, oldest first. Safe to repeat and to kill:
 * the next run starts with what is left. The bucket's lifecycle rule removes what no run has reached.
 * @param hasTime asked before each page; without time the next run continues
 */
export async function purgeRawWebhooks(ports: PurgePorts, now: Millis, hasTime: () => boolean): Promise<void> {
  const end = purgedBefore(now);
  // The folder of the hour in which the end falls is included: "~" sorts after every file name.
  const copies = await purgeFiles(ports, { prefix: RAW_COPIES_PREFIX, upTo: `${rawCopiesFolder(end)}~` }, hasTime);
  const large = { prefix: LARGE_WEBHOOKS_PREFIX, upTo: largeWebhookKey(end, ulidFloor(end)) };
  const webhooks = await purgeFiles(ports, large, hasTime);
  const complete = copies.complete && webhooks.complete;
  ports.log({ event: "raw_webhooks.purged", files: copies.files + webhooks.files, complete });
}

/** Deletes the files whose keys sort below `upTo`. */
async function purgeFiles(
  { files }: PurgePorts,
  { prefix, upTo }: { readonly prefix: string; readonly upTo: string },
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
