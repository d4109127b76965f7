import type { Millis } from "#base/kernel/time.ts";
import { purgedBefore } from "#features/inbox/rules/raw-webhooks.ts";
import type { PurgeLettersPorts } from "../ports.ts";

/**
 * Deletes the dead letters of `Inbound` whose webhook ends before the next purge, oldest first: they contain its raw
 * bytes. Safe to repeat and to kill. Other dead letters have no content, and the time to live removes them.
 * @param hasTime asked before each page; without time the next run continues
 */
export async function purgeDeadWebhooks(
  { quarantine, log }: PurgeLettersPorts,
  now: Millis,
  hasTime: () => boolean,
): Promise<void> {
  let deadLetters = 0;
  let complete = false;
  while (!complete && hasTime()) {
    const page = await quarantine.removeBefore("Inbound", purgedBefore(now));
    deadLetters += page.removed;
    complete = !page.more;
  }
  log({ event: "dead_letters.purged", dead_letters: deadLetters, complete });
}
