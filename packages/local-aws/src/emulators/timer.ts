import { HOUR, type Millis } from "../support/time.ts";

/**
 * A timer for an instant of the stack's clock, which may jump. After a jump, `rearm` recalculates the wait.
 * It may fire early (a wait never exceeds `maxWait` real milliseconds), so the callback must check the clock.
 */
export class ClockTimer {
  readonly #now: () => Millis;
  readonly #callback: () => void;
  readonly #maxWait: Millis;
  #at: Millis | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => Millis, callback: () => void, maxWait: Millis = HOUR) {
    this.#now = now;
    this.#callback = callback;
    this.#maxWait = maxWait;
  }

  /** Fires at `at`; null cancels the timer. */
  set(at: Millis | null): void {
    this.#at = at;
    this.rearm();
  }

  rearm(): void {
    clearTimeout(this.#timer);
    if (this.#at === null) return;
    this.#timer = setTimeout(this.#callback, Math.min(Math.max(this.#at - this.#now(), 1), this.#maxWait));
  }
}
