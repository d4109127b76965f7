import { purgeFiles } from "#base/files/purge-files.ts";
import { ulidFloor } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PurgePorts } from "../ports.ts";
import {
  LARGE_WEBHOOKS_PREFIX,
  largeWebhookKey,
  purgedBefore,
  RAW_COPIES_PREFIX,
  rawCopiesFolder,
} from "../rules/raw-webhooks.ts";

/**
 * Deletes the files of raw webhooks whose retention ends before the next purge, oldest first. Safe to repeat and to kill.
 * The bucket's lifecycle rule removes what no run has reached.
 * @param hasTime asked before each page; without time the next run continues
 */
export async function purgeRawWebhooks({ files, log }: PurgePorts, now: Millis, hasTime: () => boolean): Promise<void> {
  const end = purgedBefore(now);
  // The folder of the hour in which the end falls is included: "~" sorts after every file name.
  const copies = { prefix: RAW_COPIES_PREFIX, upTo: `${rawCopiesFolder(end)}~` };
  const large = { prefix: LARGE_WEBHOOKS_PREFIX, upTo: largeWebhookKey(end, ulidFloor(end)) };
  log({ event: "raw_webhooks.purged", ...(await purgeFiles(files, [copies, large], hasTime)) });
}
