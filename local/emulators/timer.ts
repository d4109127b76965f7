import { HOUR, type Millis } from "../../shared/kernel/time.ts";

/**
 * A timer set for an instant of the stack's clock, which may jump: after a jump, `rearm` measures the wait anew.
 * It may ring early (a wait is never longer than `longest` real milliseconds): who is rung looks at the clock.
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

  /** Rings at `at`, or never again for null. */
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
