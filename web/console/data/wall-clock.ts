/** Below this a correction is only the way of an answer. */
const CORRECTION_MS = 1_000;

/** The server's time. Windows close by it, not by the clock of this machine. */
export class WallClock {
  #offsetMs = 0;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();

  /** @param now the machine's time, in epoch milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#now() + this.#offsetMs;
  }

  /** @param serverTime what the server's clock showed a moment ago, in epoch milliseconds */
  set(serverTime: number): void {
    if (!Number.isFinite(serverTime)) return;
    const before = this.#offsetMs;
    this.#offsetMs = serverTime - this.#now();
    if (Math.abs(this.#offsetMs - before) < CORRECTION_MS) return;
    for (const listener of this.#listeners) listener();
  }

  /** Calls a listener after each correction by a second or more. @returns ends it */
  onCorrection(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
