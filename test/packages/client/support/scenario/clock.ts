import type { Clock } from "#client";

/** Longer than each time-out of the scenario, shorter than each wait between attempts. */
const REAL_MS_MAX = 150;
const ATTEMPT_TIMEOUT_MS = 31_000;

/**
 * Turns by itself through waits of up to 30 seconds. Short time-outs really pass, and the client's own never end.
 * @param waits gets each wait
 */
export function turningClock(now: number, waits: number[] = []): Clock {
  return {
    now: () => now,
    schedule(callback, delayMs) {
      if (delayMs >= ATTEMPT_TIMEOUT_MS) return () => {};
      const isReal = delayMs <= REAL_MS_MAX;
      const onTimer = () => {
        now += delayMs;
        if (!isReal) waits.push(delayMs);
        callback();
      };
      const timer = setTimeout(onTimer, isReal ? delayMs : 0);
      return () => clearTimeout(timer);
    },
  };
}
