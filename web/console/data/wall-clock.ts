/** The server's time. Windows close by it, not by the clock of this machine. */
export class WallClock {
  #offsetMs = 0;
  readonly #now: () => number;

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
    if (Number.isFinite(serverTime)) this.#offsetMs = serverTime - this.#now();
  }
}
