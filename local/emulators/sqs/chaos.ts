/** Faults that a real queue may show at any time. */
export interface ChaosSettings {
  /** The share of messages, 0 to 1, that come a second time after their deletion. */
  readonly duplicate: number;
  /** Hands messages out in random order. */
  readonly shuffle: boolean;
  /** Draws from [0, 1). */
  readonly random: () => number;
}

/** The fault knob of all queues; off until it is turned. */
export class Chaos {
  #settings: ChaosSettings = { duplicate: 0, shuffle: false, random: Math.random };

  configure(settings: ChaosSettings): void {
    this.#settings = settings;
  }

  shouldDuplicate(): boolean {
    return this.#settings.duplicate > 0 && this.#settings.random() < this.#settings.duplicate;
  }

  /** The draw that picks the next message, or null for the order of arrival. */
  draw(): (() => number) | null {
    return this.#settings.shuffle ? this.#settings.random : null;
  }
}
