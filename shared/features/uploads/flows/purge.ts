import { purgeFiles } from "#base/files/purge-files.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PurgeUploadsPorts } from "../ports.ts";
import { COPY_PREFIX, POSTED_PREFIX, purgedBeforeHour } from "../rules/uploads.ts";

/**
 * Deletes the posted files and the copies of each hour of creation that could be a day old before the next purge, oldest
 * first. By then no upload of that hour can be finished or handed over. Safe to repeat and to kill. The bucket's lifecycle
 * rule removes what no run has reached.
 * @param hasTime asked before each page; without time the next run continues
 */
export async function purgeUploads(
  { uploadFiles, log }: PurgeUploadsPorts,
  now: Millis,
  hasTime: () => boolean,
): Promise<void> {
  const firstHourThatStays = purgedBeforeHour(now);
  const ranges = [POSTED_PREFIX, COPY_PREFIX].map((prefix) => ({ prefix, upTo: prefix + firstHourThatStays }));
  log({ event: "uploads.purged", ...(await purgeFiles(uploadFiles, ranges, hasTime)) });
}
