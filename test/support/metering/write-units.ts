import { type Item, itemSize, readUnits, writeUnits } from "../item-size.ts";
import { canonicalJson, indexEntry, type TableSchema } from "./schema.ts";

/** One item's state before and after a write. A check in a transaction has the same state in both. */
export interface Change {
  readonly before: Item | null;
  readonly after: Item | null;
}

/** Write units of one item's change in the table and its indexes. A transaction doubles only the table's part. */
export function changeUnits(schema: TableSchema, change: Change, transaction: boolean): number {
  return tableUnits(change) * (transaction ? 2 : 1) + indexUnits(schema, change);
}

/** Write units of a failed condition: those of the stored item, without an index. */
export function failedConditionUnits(existing: Item | null, transaction: boolean): number {
  return writeUnits(sizeOrZero(existing)) * (transaction ? 2 : 1);
}

/** Read units of a transaction that was sent again with the token of a committed one. */
export function replayUnits({ before, after }: Change): number {
  return 2 * readUnits(Math.max(sizeOrZero(before), sizeOrZero(after)));
}

function tableUnits({ before, after }: Change): number {
  return writeUnits(Math.max(sizeOrZero(before), sizeOrZero(after)));
}

/** Write units of an index: those of the change to its entry. */
function indexUnits(schema: TableSchema, { before, after }: Change): number {
  let units = 0;
  for (const index of schema.indexes) {
    const previous = indexEntry(index, before);
    const next = indexEntry(index, after);
    if (canonicalJson(previous) === canonicalJson(next)) continue;
    const keyChanged = index.keys.some(
      (name) => canonicalJson(pickOne(previous, name)) !== canonicalJson(pickOne(next, name)),
    );
    units += keyChanged
      ? (previous ? writeUnits(itemSize(previous)) : 0) + (next ? writeUnits(itemSize(next)) : 0)
      : writeUnits(Math.max(sizeOrZero(previous), sizeOrZero(next)));
  }
  return units;
}

function pickOne(item: Item | null, name: string): Item {
  const value = item?.[name];
  return value === undefined ? {} : { [name]: value };
}

function sizeOrZero(item: Item | null): number {
  return item === null ? 0 : itemSize(item);
}
