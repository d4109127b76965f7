import type { Millis } from "../../support/time.ts";

/** At `at` the message becomes visible, unless its epoch has changed since. */
export interface Timer {
  readonly at: Millis;
  readonly id: string;
  readonly epoch: number;
}

/** Timers, earliest first: a binary min-heap. */
export class DueHeap {
  #items: Timer[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): Timer | undefined {
    return this.#items[0];
  }

  push(item: Timer): void {
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
  }

  pop(): Timer | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return first;
  }

  /** Retains only the timers that pass, so that timers of deleted messages do not accumulate. */
  retain(passes: (item: Timer) => boolean): void {
    const retained = this.#items.filter(passes);
    this.#items = [];
    for (const item of retained) this.push(item);
  }

  #rise(from: number): void {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  #sink(from: number): void {
    for (let parent = from; ; ) {
      const left = 2 * parent + 1;
      const child = this.#at(left + 1) < this.#at(left) ? left + 1 : left;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      parent = child;
    }
  }

  #at(index: number): Millis {
    return this.#items[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [left, right] = [this.#items[a], this.#items[b]];
    if (!left || !right) return;
    this.#items[a] = right;
    this.#items[b] = left;
  }
}
