import { type Millis, SECOND } from "#base/kernel/time.ts";
import { type Source, sourceNames } from "./schema.ts";
import type { Item } from "./values.ts";
import { type Change, View } from "./view.ts";

/** An eventually consistent read. */
export interface EventualRead {
  /** AWS's name of the operation: GetItem, Query, BatchGetItem, … */
  readonly command: string;
  readonly source: Source;
  readonly partition: string;
}

/** How many of the last writes an eventually consistent read does not see: 0 for none. */
export type Lag = (read: EventualRead) => number;

/** DynamoDB's copies are usually consistent within a second. */
const LAG_MAX: Millis = SECOND;

/**
 * The items, and for the table and each index a copy that is behind. Consistent reads see the items; others see the
 * items or the copy, as `lag` decides for each. A copy never goes back, and never stays behind for more than a second.
 */
export class Storage {
  readonly #now: () => Millis;
  readonly #current = newViews();
  readonly #copies = newViews();
  readonly #copied: Record<Source, number> = { base: 0, GS1: 0, GS2: 0, GS3: 0 };
  readonly #changes: (Change & { readonly at: Millis })[] = [];
  lag: Lag = () => 0;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  get(key: Item): Item | null {
    return this.#current.base.get(key);
  }

  write(change: Change): void {
    for (const view of Object.values(this.#current)) view.apply(change);
    this.#changes.push({ ...change, at: this.#now() });
  }

  /** Every write since the table was opened, in order. */
  changes(): readonly (Change & { readonly at: Millis })[] {
    return this.#changes;
  }

  consistent(): View {
    return this.#current.base;
  }

  eventual(read: EventualRead): View {
    const lag = Math.max(0, this.lag(read));
    if (lag === 0) return this.#current[read.source];
    const oldest = this.#now() - LAG_MAX;
    const copy = this.#copies[read.source];
    for (let next = this.#copied[read.source]; ; next++) {
      const change = this.#changes[next];
      const mayMiss = change && this.#changes.length - next <= lag && change.at > oldest;
      if (!change || mayMiss) {
        this.#copied[read.source] = next;
        return copy;
      }
      copy.apply(change);
    }
  }
}

function newViews(): Record<Source, View> {
  return Object.fromEntries(sourceNames.map((source) => [source, new View(source)])) as Record<Source, View>;
}
