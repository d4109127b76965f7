import { errorClass } from "../kernel/error-class.ts";
import { QUEUE_DELAY_MAX } from "../kernel/limits.ts";
import type { Millis } from "../kernel/time.ts";

/** From this receive on a message is postponed. A shorter fault is over before: it is more than a minute after the first. */
export const POSTPONED_FROM_RECEIVE = 5;

/** How long a message is postponed: between half of the limit and the limit, so that not everything comes back at once. */
export function postponement(random: number, limit: Millis = QUEUE_DELAY_MAX): Millis {
  return limit * (0.5 + 0.5 * random);
}

/** A message that waits for the end of an outage. */
interface Postponed {
  readonly receives: number;
  readonly delay: Millis;
  /** What failed: an error, or the cause of a retry. */
  readonly fault: unknown;
}

/** The log line of a message that was replaced by a new one. */
export function postponedLine({ receives, delay, fault }: Postponed) {
  const error = typeof fault === "string" ? fault : errorClass(fault);
  return { event: "record.postponed", error, receives, delay_ms: Math.round(delay) } as const;
}
