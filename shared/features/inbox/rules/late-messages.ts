import { MINUTE, type Millis } from "#base/kernel/time.ts";

/**
 * A message stored later than this after its time may be known from the platform's history too, which names its second
 * only. Such a message is stored at the position that the marker of its id names.
 */
const LATE_AFTER: Millis = 10 * MINUTE;

/**
 * The history is read for messages of at least this age. The webhook of one that was not late is stored by then, even by
 * a process whose invocation ends half a minute later and whose clock is a minute behind.
 */
export const HISTORY_AGE_MIN: Millis = LATE_AFTER + 2 * MINUTE;

export function isLate(sentAt: Millis, now: Millis): boolean {
  return sentAt < now - LATE_AFTER;
}
