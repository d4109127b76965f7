import { table } from "#base/config/names.ts";
import { InvalidRequest, type Item } from "./values.ts";

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

/** The most bytes of a key. */
const PARTITION_KEY_BYTES_MAX = 2_048;
const SORT_KEY_BYTES_MAX = 1_024;

/** Identifies an item. Throws InvalidRequest for a key that DynamoDB refuses for its length. */
export function primaryKey(item: Item): string {
  const [partition, sort] = [item[table.partitionKey]?.S ?? "", item[table.sortKey]?.S ?? ""];
  requireSize(partition, PARTITION_KEY_BYTES_MAX);
  requireSize(sort, SORT_KEY_BYTES_MAX);
  return `${partition}\n${sort}`;
}

function requireSize(key: string, max: number): void {
  if (key.length * 3 > max && Buffer.byteLength(key) > max) throw new InvalidRequest("A key is too long");
}

export function keyAttributes(item: Item, source: Source): Item {
  const { partition, sort } = sources[source];
  const names = [table.partitionKey, table.sortKey, partition, ...(sort === null ? [] : [sort])];
  return Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
