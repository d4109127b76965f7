import { forEachConcurrent } from "../../kernel/parallel.ts";
import type { Millis } from "../../kernel/time.ts";
import type { HoldExpiryPorts } from "./ports.ts";

/** Holds that are ended at once. */
const CONCURRENCY = 8;

/**
 * Ends the held messages that nobody checked in time, so that their content leaves the table though nobody looks.
 * Safe to repeat. Throws when some could not be ended; they are found again.
 * @param inTime whether another page may be begun
 */
export async function expireHolds(
  ports: HoldExpiryPorts,
  now: Millis,
  inTime: () => boolean = () => true,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const page of ports.holds.listOverdue(now)) {
    if (!inTime()) break;
    // One that cannot be ended keeps none of the others waiting.
    await forEachConcurrent(page, CONCURRENCY, async (hold) => {
      await ports.holds.expire(hold, now).catch((error: unknown) => void failures.push(error));
    });
  }
  if (failures.length > 0) throw failures[0];
}
