import { startDeadline } from "./deadline.ts";
import type { Millis } from "./time.ts";

/** The time of one request. Once it has answered, its process may be frozen at any await, and for any time. */
export interface RequestTime {
  /** The current time. */
  readonly now: () => Millis;
  /** The request must have answered by then. */
  readonly endsAt: Millis;
  /** The result of `work`, or `late` when the request must answer first. Late work is not stopped. */
  readonly waitFor: <T>(work: Promise<T>) => Promise<T | "late">;
}

/**
 * Starts the time of a request.
 * @param remaining the time until it must have answered; default: no limit
 * @returns `end` releases the timer
 */
export function startRequestTime(
  now: () => Millis,
  remaining = Number.POSITIVE_INFINITY,
): RequestTime & { readonly end: () => void } {
  if (!Number.isFinite(remaining)) {
    return { now, endsAt: Number.POSITIVE_INFINITY, waitFor: (work) => work, end: () => {} };
  }
  const deadline = startDeadline(remaining);
  return {
    now,
    endsAt: now() + remaining,
    waitFor: (work) => Promise.race([work, deadline.reached]),
    end: deadline.cancel,
  };
}
