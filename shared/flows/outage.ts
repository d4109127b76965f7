import { QUEUE_DELAY_MAX } from "../domain/limits.ts";
import { sha256 } from "../kernel/bytes.ts";
import { errorClass } from "../kernel/error-class.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";

/** From this receive on a message is postponed. A shorter fault is over before: it is more than a minute after the first. */
export const POSTPONED_FROM_RECEIVE = 5;

/** How long a message is postponed: between half of the limit and the limit, so that not everything comes back at once. */
export function postponement(random: number, limit: Millis = QUEUE_DELAY_MAX): Millis {
  return limit * (0.5 + 0.5 * random);
}

/** What orders the messages that wait for the end of an outage. */
export interface WaitingOrder {
  /** The messages of one key come back in the order of their times. */
  readonly key: string;
  readonly at: Millis;
}

/** The messages of a key come back together, once in this time. */
const ROUND: Millis = 10 * MINUTE;
/** They come within this time, the oldest first: up to an age of an hour, a minute of age makes about half a second. */
const ROUND_TAKES: Millis = 2 * MINUTE;
/** Of this age a message is in the middle of its round. */
const MIDDLE_AGE: Millis = 20 * MINUTE;
/** A message waits at least this long. */
const WAIT_MIN: Millis = MINUTE;

/**
 * How long a message is postponed that has an order: until the next round of its key, whose start a hash of the key
 * decides, so that not everything comes back at once. At most 13 minutes.
 */
export function orderedPostponement({ key, at }: WaitingOrder, now: Millis): Millis {
  const phase = sha256(key).readUIntBE(0, 6) % ROUND;
  const earliest = now + WAIT_MIN;
  const start = earliest + ((((phase - earliest) % ROUND) + ROUND) % ROUND);
  const age = Math.max(0, start - at);
  return start - now + ROUND_TAKES * (MIDDLE_AGE / (age + MIDDLE_AGE));
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
