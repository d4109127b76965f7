import { ulidFloor } from "../kernel/ids.ts";
import { RETENTION } from "../kernel/limits.ts";
import { HOUR, type Millis, SECOND } from "../kernel/time.ts";

// What keys have in common. Each feature builds its own in its `store/items.ts`. docs/design/table-keys.md lists the items by
// key.

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** Epoch milliseconds in 13 digits, which sort as text. */
export function t13(at: Millis): string {
  return String(Math.max(0, at)).padStart(13, "0");
}

export function positionTime(position: string): Millis {
  return Number(position.slice(0, 13));
}

export const DUE_SHARDS = 8;

export function startOfHour(at: Millis): Millis {
  return at - (at % HOUR);
}

/** A time to live, in epoch seconds. */
export function timeToLive(at: Millis): number {
  return Math.ceil(at / SECOND);
}

/** The oldest position that a read may return. */
export function oldestPosition(now: Millis): string {
  return t13(now - RETENTION + 1);
}

export function oldestUlid(now: Millis): string {
  return ulidFloor(now - RETENTION + 1);
}

/**
 * The range of sort keys of a page of a descending list: from the oldest that may be shown to just below the end of the
 * previous page, or to `top`. Null when the range is empty: DynamoDB refuses a range that ends before it starts.
 */
export function pageRange(oldest: string, before: string | null, top: string): { from: string; upTo: string } | null {
  const upTo = before === null ? top : justBelow(before);
  return upTo < oldest ? null : { from: oldest, upTo };
}

/**
 * The greatest text below a sort key of fixed length. It continues a descending query, because BETWEEN is inclusive and
 * ExclusiveStartKey needs the partition, which a cursor never contains.
 */
export function justBelow(sortKey: string): string {
  const last = sortKey.length - 1;
  return `${sortKey.slice(0, last)}${String.fromCharCode(sortKey.charCodeAt(last) - 1)}~`;
}
