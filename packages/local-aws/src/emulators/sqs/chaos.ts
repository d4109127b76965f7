/** Faults that a real queue may show. */
export interface ChaosSettings {
  /** The share of messages, 0 to 1, that are delivered a second time after their deletion. */
  readonly duplicate: number;
  /** Delivers messages in random order. */
  readonly shuffle: boolean;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

/** The fault injection of all queues. Off by default. */
export class Chaos {
  #settings: ChaosSettings = { duplicate: 0, shuffle: false, random: Math.random };

  configure(settings: ChaosSettings): void {
    this.#settings = settings;
  }

  shouldDuplicate(): boolean {
    return this.#settings.duplicate > 0 && this.#settings.random() < this.#settings.duplicate;
  }

  /** The random number that selects the next message, or null for the order of arrival. */
  draw(): (() => number) | null {
    return this.#settings.shuffle ? this.#settings.random : null;
  }
}
