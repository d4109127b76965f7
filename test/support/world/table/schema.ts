import { table } from "#base/config/names.ts";
import type { Item } from "./values.ts";

/** Where a read takes its items from. */
export type Source = "base" | "GS1" | "GS2" | "GS3";

export interface SourceKeys {
  readonly partition: string;
  readonly sort: string | null;
  /** The attributes besides the keys; null for all. */
  readonly projection: readonly string[] | null;
}

const { feedIndex, idIndex, failingIndex } = table;

/** The table and its indexes, as `lib` declares them. */
export const sources: Readonly<Record<Source, SourceKeys>> = {
  base: { partition: table.partitionKey, sort: table.sortKey, projection: null },
  [feedIndex.name]: { partition: feedIndex.partitionKey, sort: feedIndex.sortKey, projection: null },
  [idIndex.name]: { partition: idIndex.partitionKey, sort: null, projection: [] },
  [failingIndex.name]: {
    partition: failingIndex.partitionKey,
    sort: failingIndex.sortKey,
    projection: failingIndex.copies,
  },
};
export const sourceNames = Object.keys(sources) as readonly Source[];

/** Identifies an item. */
export function primaryKey(item: Item): string {
  return `${item[table.partitionKey]?.S}\n${item[table.sortKey]?.S}`;
}

export function keyAttributes(item: Item, source: Source): Item {
  const { partition, sort } = sources[source];
  const names = [table.partitionKey, table.sortKey, partition, ...(sort === null ? [] : [sort])];
  return Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
