import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { HOUR, type Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { DUE_SHARDS, type Key, positionTime, startOfHour, t13 } from "./keys.ts";

/** What one query reads of a shard. */
const SHARD_QUERY_LIMIT = 100;
const PAGE_MAX = 100;

/** A place in the order of due items: several may be due at one instant. */
export interface DueCursor {
  readonly at: Millis;
  /** The last item's sort key, or what sorts behind all that is due at that instant. */
  readonly key: string;
}

/** What is due next. */
export interface DuePage<T> {
  /** In the order of their places; none where an hour holds nothing. */
  readonly items: readonly T[];
  /** Nothing lies before this that is in no page by now. */
  readonly cursor: DueCursor;
  readonly last: boolean;
}

/** Behind everything that is due at an instant. */
export function cursorAfter(at: Millis): DueCursor {
  return { at, key: `${t13(at)}~` };
}

export function parseDueCursor(key: string): DueCursor {
  return { at: positionTime(key), key };
}

/**
 * All that is due in (after, upTo] in order, an hour's shards read side by side: a page at most a hundred items long, and
 * at least one for each hour.
 */
export async function* duePages<T extends Key>(
  table: Table,
  partitionKey: (hour: Millis, shard: number) => string,
  after: DueCursor,
  upTo: Millis,
): AsyncGenerator<DuePage<T>> {
  // A sweep at the instant of the last one, or by a clock behind it: a range may not end before it begins.
  if (cursorAfter(upTo).key <= after.key) return;
  const lastHour = startOfHour(upTo);
  for (let hour = startOfHour(after.at); hour <= lastHour; hour += HOUR) {
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) =>
      shardReader<T>(table, partitionKey(hour, shard), after, upTo),
    );
    let buffer: T[] = [];
    for (let watermark: string | null = ""; watermark !== null; ) {
      await Promise.all(shards.map((shard) => shard.refill()));
      watermark = minKey(shards.map((shard) => shard.watermark()));
      buffer.push(...shards.flatMap((shard) => shard.takeUpTo(watermark)).sort(bySortKey));
      for (; buffer.length > PAGE_MAX; buffer = buffer.slice(PAGE_MAX)) {
        const items = buffer.slice(0, PAGE_MAX);
        yield { items, cursor: parseDueCursor(items.at(-1)?.SK ?? ""), last: false };
      }
    }
    const last = hour === lastHour;
    yield { items: buffer, cursor: cursorAfter(last ? upTo : hour + HOUR - 1), last };
  }
}

/** One shard of an hour, read as far as it is asked for. */
function shardReader<T extends Key>({ client, name: TableName }: Table, PK: string, after: DueCursor, upTo: Millis) {
  let buffer: T[] = [];
  let next: Record<string, unknown> | undefined;
  let hasStarted = false;
  return {
    /** Reads on where nothing of it waits. */
    async refill(): Promise<void> {
      if (buffer.length > 0 || (hasStarted && !next)) return;
      const response = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :q AND SK BETWEEN :from AND :upTo",
          // A range holds its ends: no other sort key lies between a place and the same with a blank.
          ExpressionAttributeValues: { ":q": PK, ":from": `${after.key} `, ":upTo": cursorAfter(upTo).key },
          ExclusiveStartKey: next,
          Limit: SHARD_QUERY_LIMIT,
        }),
      );
      hasStarted = true;
      buffer = (response.Items ?? []) as T[];
      next = response.LastEvaluatedKey;
    },

    /** How far it was read; null when there is no more of it. */
    watermark: (): string | null => (next ? String(next.SK) : null),

    /** What waits up to a sort key, or all of it. */
    takeUpTo(sortKey: string | null): T[] {
      const items = buffer.filter(({ SK }) => sortKey === null || SK <= sortKey);
      buffer = buffer.slice(items.length);
      return items;
    },
  };
}

function minKey(keys: readonly (string | null)[]): string | null {
  return keys.filter((key) => key !== null).reduce<string | null>((a, b) => (a !== null && a < b ? a : b), null);
}

function bySortKey(a: Key, b: Key): number {
  return a.SK < b.SK ? -1 : 1;
}
