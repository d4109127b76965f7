import { type Item, itemSize, readUnits, writeUnits } from "../item-size.ts";
import { canonical, entryOf, type TableShape } from "./schema.ts";

/** One item's state around a write. A check in a transaction has the same state on both sides. */
export interface Change {
  readonly before: Item | null;
  readonly after: Item | null;
}

/** Write units of one item's change in the table and its indexes; a transaction doubles the table's part only. */
export function changeBill(shape: TableShape, change: Change, transaction: boolean): number {
  return tableUnits(change) * (transaction ? 2 : 1) + indexUnits(shape, change);
}

/** A write whose condition failed is billed by the item that is there; no index is touched. */
export function refusedBill(existing: Item | null, transaction: boolean): number {
  return writeUnits(sizeOf(existing)) * (transaction ? 2 : 1);
}

/** Read units of a transaction that was sent again with the token of one that went through. */
export function replayBill({ before, after }: Change): number {
  return 2 * readUnits(Math.max(sizeOf(before), sizeOf(after)));
}

function tableUnits({ before, after }: Change): number {
  return writeUnits(Math.max(sizeOf(before), sizeOf(after)));
}

/** Indexes are billed for the change to what they hold. */
function indexUnits(shape: TableShape, { before, after }: Change): number {
  let units = 0;
  for (const index of shape.indexes) {
    const old = entryOf(index, before);
    const fresh = entryOf(index, after);
    if (canonical(old) === canonical(fresh)) continue;
    const moved = index.keys.some((name) => canonical(only(old, name)) !== canonical(only(fresh, name)));
    units += moved
      ? (old ? writeUnits(itemSize(old)) : 0) + (fresh ? writeUnits(itemSize(fresh)) : 0)
      : writeUnits(Math.max(sizeOf(old), sizeOf(fresh)));
  }
  return units;
}

function only(item: Item | null, name: string): Item {
  const value = item?.[name];
  return value === undefined ? {} : { [name]: value };
}

function sizeOf(item: Item | null): number {
  return item === null ? 0 : itemSize(item);
}
