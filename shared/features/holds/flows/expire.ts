import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { HoldExpiryPorts } from "../ports.ts";

/** Holds expired in parallel. */
const CONCURRENCY = 8;

/**
 * Expires the held messages that were not checked in time, which removes their content from the table. Safe to repeat.
 * Throws when a hold could not be expired; the next sweep retries.
 * @param hasTime whether there is time for another page
 */
export async function expireHolds(
  ports: HoldExpiryPorts,
  now: Millis,
  hasTime: () => boolean = () => true,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const page of ports.holds.listOverdue(now)) {
    if (!hasTime()) break;
    // A hold that fails blocks no other hold.
    await forEachConcurrent(page, CONCURRENCY, async (hold) => {
      await ports.holds.expire(hold, now).catch((error: unknown) => void failures.push(error));
    });
  }
  if (failures.length > 0) throw failures[0];
}
