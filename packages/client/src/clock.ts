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

/** Waits, unless the signal is aborted before. Throws a ParleyError `aborted` then. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError(signal));
    const onAbort = () => {
      cancel();
      reject(abortedError(signal));
    };
    const cancel = clock.schedule(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

export function abortedError(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError({ code: "aborted", message: "The call was aborted.", cause: signal?.reason });
}
