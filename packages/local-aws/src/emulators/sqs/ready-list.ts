/** A message that is ready for delivery, unless its epoch has changed since. */
export interface ReadyEntry {
  readonly id: string;
  readonly epoch: number;
}

const TRIM_AT = 1_000;

/** Messages that are ready for delivery, in order of arrival. */
export class ReadyList {
  #entries: ReadyEntry[] = [];
  #head = 0;

  push(entry: ReadyEntry): void {
    this.#entries.push(entry);
  }

  first(): ReadyEntry | undefined {
    return this.#entries[this.#head];
  }

  /** Takes the next entry. With `random`, a number in [0, 1), takes the entry at that position instead of the first. */
  shift(random: (() => number) | null): ReadyEntry | undefined {
    const first = this.#entries[this.#head];
    if (!first) return undefined;
    const index = random ? this.#head + Math.floor(random() * (this.#entries.length - this.#head)) : this.#head;
    const entry = this.#entries[index] ?? first;
    this.#entries[index] = first;
    this.#head += 1;
    if (this.#head >= TRIM_AT && this.#head * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
