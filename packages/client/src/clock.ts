import { ParleyError } from "./errors.ts";

/** The time that the client uses. A test passes its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back after some milliseconds. @returns a function that cancels the call */
  schedule(callback: () => void, delayMs: number): () => void;
}

/** A longer time would end a timer at once. It is 24 days. */
const TIMER_MAX_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, TIMER_MAX_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * Waits, unless the signal is aborted before. Throws a ParleyError `aborted` then.
 * @param onStart is called with a function that ends the wait early
 */
export function sleep(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
  onStart?: (wake: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError(signal));
    const onAbort = () => {
      cancel();
      reject(abortedError(signal));
    };
    const wake = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      resolve();
    };
    const cancel = clock.schedule(wake, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    onStart?.(wake);
  });
}

export function abortedError(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError({ code: "aborted", message: "The call was aborted.", cause: signal?.reason });
}
