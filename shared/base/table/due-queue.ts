import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../config/names.ts";
import { allDone } from "../kernel/parallel.ts";
import { HOUR, type Millis } from "../kernel/time.ts";
import { checkpointAttributes as A, feedIndex } from "./attributes.ts";
import type { Table } from "./client.ts";
import { conditionalWrite } from "./conditional-write.ts";
import { absentOr, below } from "./expressions.ts";
import { DUE_SHARDS, type Key, positionTime, startOfHour, t13 } from "./keys.ts";
import { update } from "./writes.ts";

/** Items that one query reads from a shard. */
const SHARD_QUERY_LIMIT = 100;
const PAGE_MAX = 100;

/** A position in the order of due items. Several items may be due at one instant. */
export interface DueCursor {
  readonly at: Millis;
  /** The last item's sort key, or a text that sorts after all items due at that instant. */
  readonly key: string;
}

export interface DuePage<T> {
  /** In due order; empty for an hour without due items. */
  readonly items: readonly T[];
  /** Every item up to this cursor is in this page or an earlier one. */
  readonly cursor: DueCursor;
  readonly last: boolean;
}

/** How far a sweep has come, stored under `key`. */
export function sweepCheckpoint(table: Table, key: Key) {
  return {
    /**
     * The cursor up to which every due item is handled; null before the first sweep. It may be that of the sweep before
     * the last one: what is handled again is dropped as any repetition.
     */
    async checkpoint(): Promise<DueCursor | null> {
      const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: key }));
      return Item?.[A.cursor] === undefined ? null : parseDueCursor(String(Item[A.cursor]));
    },

    /** Moves the checkpoint forward. A slower sweep never moves it back. */
    async saveCheckpoint(cursor: DueCursor): Promise<void> {
      const isForward = absentOr(below, A.cursor, cursor.key);
      await conditionalWrite(table, update(key, { set: { [A.cursor]: cursor.key } }, isForward));
    },
  };
}

/** The cursor after everything that is due at an instant. */
export function cursorAfter(at: Millis): DueCursor {
  return { at, key: `${t13(at)}~` };
}

export function parseDueCursor(key: string): DueCursor {
  return { at: positionTime(key), key };
}

/**
 * The items due in (after, upTo], in due order. The shards of an hour are read in parallel. A page has at most 100
 * items, and every hour has at least one page.
 */
export async function* duePages<T extends Key>(
  table: Table,
  partitionKey: (hour: Millis, shard: number) => string,
  after: DueCursor,
  upTo: Millis,
): AsyncGenerator<DuePage<T>> {
  // DynamoDB refuses a range that ends before it starts: this sweep's clock may be behind the last one's.
  if (cursorAfter(upTo).key <= after.key) return;
  const lastHour = startOfHour(upTo);
  for (let hour = startOfHour(after.at); hour <= lastHour; hour += HOUR) {
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) =>
      shardReader<T>(table, partitionKey(hour, shard), after, upTo),
    );
    let buffer: T[] = [];
    for (let watermark: string | null = ""; watermark !== null; ) {
      await allDone(shards.map((shard) => shard.refill()));
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

/** Reads one shard of an hour page by page. */
function shardReader<T extends Key>({ client, name: TableName }: Table, PK: string, after: DueCursor, upTo: Millis) {
  let buffer: T[] = [];
  let next: Record<string, unknown> | undefined;
  let hasStarted = false;
  return {
    /** Reads the next page when the buffer is empty. */
    async refill(): Promise<void> {
      if (buffer.length > 0 || (hasStarted && !next)) return;
      const response = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :q AND SK BETWEEN :from AND :upTo",
          // BETWEEN includes its ends. No sort key lies between a key and the same key followed by a blank.
          ExpressionAttributeValues: { ":q": PK, ":from": `${after.key} `, ":upTo": cursorAfter(upTo).key },
          ExclusiveStartKey: next,
          Limit: SHARD_QUERY_LIMIT,
        }),
      );
      hasStarted = true;
      buffer = (response.Items ?? []) as T[];
      next = response.LastEvaluatedKey;
    },

    /** The last sort key read; null when the shard is read to its end. */
    watermark: (): string | null => (next ? String(next.SK) : null),

    /** Removes the buffered items up to a sort key, or all of them. */
    takeUpTo(sortKey: string | null): T[] {
      const items = buffer.filter(({ SK }) => sortKey === null || SK <= sortKey);
      buffer = buffer.slice(items.length);
      return items;
    },
  };
}

/**
 * The items of a partition of the feed index that are due, the earliest first, in pages. Their position begins with the time
 * at which they are due. The index may be seconds behind.
 */
export async function* dueInIndex<T extends Key>(
  { client, name: TableName }: Table,
  partition: string,
  now: Millis,
): AsyncGenerator<T[]> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: names.feedIndex.name,
        KeyConditionExpression: `${feedIndex.feed} = :due AND ${feedIndex.feedPosition} <= :now`,
        ExpressionAttributeValues: { ":due": partition, ":now": cursorAfter(now).key },
        ExclusiveStartKey,
      }),
    );
    yield Items as T[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

function minKey(keys: readonly (string | null)[]): string | null {
  return keys.filter((key) => key !== null).reduce<string | null>((a, b) => (a !== null && a < b ? a : b), null);
}

function bySortKey(a: Key, b: Key): number {
  return a.SK < b.SK ? -1 : 1;
}
