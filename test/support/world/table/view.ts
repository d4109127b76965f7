import { table } from "#base/config/names.ts";
import { keyAttributes, primaryKey, type Source, sources } from "./schema.ts";
import { compareText, type Item } from "./values.ts";

/** The write of one item: null where it did not exist before or does not exist after. */
export interface Change {
  readonly before: Item | null;
  readonly after: Item | null;
}

/** The items of the table or of an index, by partition. */
export class View {
  readonly #source: Source;
  readonly #partitions = new Map<string, Map<string, Item>>();

  constructor(source: Source) {
    this.#source = source;
  }

  apply({ before, after }: Change): void {
    const previous = before && this.#partitionKey(before);
    if (before && previous !== null) {
      const partition = this.#partitions.get(previous);
      partition?.delete(primaryKey(before));
      if (partition?.size === 0) this.#partitions.delete(previous);
    }
    const current = after && this.#partitionKey(after);
    if (!after || current === null) return;
    const partition = this.#partitions.get(current) ?? new Map<string, Item>();
    partition.set(primaryKey(after), this.#project(after));
    this.#partitions.set(current, partition);
  }

  get(key: Item): Item | null {
    return this.#partitions.get(key[table.partitionKey]?.S ?? "")?.get(primaryKey(key)) ?? null;
  }

  /** The items of a partition, in the order of the sort key. */
  partition(name: string): Item[] {
    return [...(this.#partitions.get(name)?.values() ?? [])].sort(orderIn(this.#source));
  }

  all(): Item[] {
    return [...this.#partitions.values()].flatMap((items) => [...items.values()]);
  }

  /** Null when the item has no place in this index. */
  #partitionKey(item: Item): string | null {
    const { partition, sort } = sources[this.#source];
    if (sort !== null && item[sort]?.S === undefined) return null;
    return item[partition]?.S ?? null;
  }

  #project(item: Item): Item {
    const { projection } = sources[this.#source];
    if (projection === null) return item;
    const copies = projection.flatMap((name) => (item[name] ? [[name, item[name]]] : []));
    return { ...keyAttributes(item, this.#source), ...Object.fromEntries(copies) };
  }
}

/** The order of the items of a partition: by the sort key, and in an index then by the table's keys. */
export function orderIn(source: Source): (a: Item, b: Item) => number {
  const { sort } = sources[source];
  const position = (item: Item) => (sort === null ? "" : (item[sort]?.S ?? ""));
  return (a, b) => compareText(position(a), position(b)) || compareText(primaryKey(a), primaryKey(b));
}
