import type { Clock } from "#client";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test turns it. */
export class TestClock implements Clock {
  /** The delays of the timers that fired by themselves, in order. */
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 10, 23);
  #timers: Timer[] = [];
  readonly #firesItself: (delayMs: number) => boolean;

  /** @param firesItself selects timers, such as the waits between attempts, for which the clock turns by itself */
  constructor(firesItself: (delayMs: number) => boolean = () => false) {
    this.#firesItself = firesItself;
  }

  now(): number {
    return this.#now;
  }

  /** The delays until the timers that are set, shortest first. */
  get pending(): readonly number[] {
    return this.#timers.map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    if (this.#firesItself(delayMs)) {
      setImmediate(() => {
        if (!this.#timers.includes(timer)) return;
        this.waits.push(delayMs);
        this.advance(timer.at - this.#now);
      });
    }
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Turns the clock, and fires the timers that are due on the way, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = Math.max(this.#now, end);
  }
}
