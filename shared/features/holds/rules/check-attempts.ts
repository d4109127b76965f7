import { CHECK_ATTEMPTS_PER_HOLD_MAX, CHECK_FAILURES_PER_ADDRESS_MAX, CHECK_WINDOW } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";

// Limits on attempts at the check page: counts in fixed windows of five minutes. Reading a hold with its secret and
// completing it successfully are not counted.

/** The attempts of one source address or on one hold in the current window. */
export interface AttemptCounts {
  readonly all: number;
  /** The failed ones among `all`. */
  readonly failed: number;
}

/** The window of an instant: from `start` (inclusive) to `end` (exclusive). */
export function checkWindowAt(now: Millis): { readonly start: Millis; readonly end: Millis } {
  const start = Math.floor(now / CHECK_WINDOW) * CHECK_WINDOW;
  return { start, end: start + CHECK_WINDOW };
}

/** The seconds until the window of `now` ends, at least 1. */
export function secondsUntilNextWindow(now: Millis): number {
  return Math.ceil((checkWindowAt(now).end - now) / SECOND);
}

/** Whether an address has had all its failures. Further requests are refused. */
export function isAddressExhausted({ failed }: AttemptCounts): boolean {
  return failed >= CHECK_FAILURES_PER_ADDRESS_MAX;
}

/** Whether a hold gets no more challenges in this window. */
export function isHoldExhausted({ all }: AttemptCounts): boolean {
  return all >= CHECK_ATTEMPTS_PER_HOLD_MAX;
}

/**
 * Whether completions of a hold are refused. A person who only requested challenges may still complete the last one.
 */
export function areCompletionsExhausted(attempts: AttemptCounts): boolean {
  return isHoldExhausted(attempts) && attempts.failed > 0;
}
