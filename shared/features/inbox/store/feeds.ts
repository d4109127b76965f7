import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { type Key, oldestPosition, pageRange } from "#base/table/keys.ts";
import { feedHeaderAttributes as A } from "./attributes.ts";
import { FEED_HEADER } from "./items.ts";

// A tenant's feed, its inbox or its messages, has one or more shards in the feed index, all in the same order. Once
// there are two, the topmost entry of the first shard says how many there are.

export interface FeedRow extends Key {
  readonly [A.feedPosition]: string;
}

export interface FeedQuery {
  /** The index partition of a shard. */
  readonly partitionKey: (shard: number) => string;
  /** Further partitions in the same order, merged into the feed. */
  readonly extraPartitions?: readonly string[];
  /** The cursor of an earlier page; null starts at the newest row. */
  readonly before: string | null;
  /** How many rows the reader expects to take. */
  readonly expectedRows: number;
  readonly now: Millis;
}

export interface FeedEntry<T> {
  readonly row: T;
  /** Continues after this row, in every shard. */
  readonly cursor: string;
  /** Whether there may be another row after it. */
  readonly hasMore: boolean;
}

export interface ShardStream<T> {
  readonly partition: string;
  rows: T[];
  next: Record<string, unknown> | undefined;
}

/** The rows of a feed within the retention, newest first, read on demand. */
export async function* feedRows<T extends FeedRow>(table: Table, query: FeedQuery): AsyncGenerator<FeedEntry<T>> {
  const { before, partitionKey, extraPartitions = [], expectedRows, now } = query;
  const from = before === null ? null : parseFeedCursor(before);
  const range = pageRange(oldestPosition(now), from?.position ?? null, FEED_HEADER);
  if (!range) return;
  const openStream = shardReader<T>(table, range, "descending");

  const openShards = (start: number, count: number) =>
    Array.from({ length: count - start }, (_, index) =>
      openStream(partitionKey(start + index), rowsPerShard(expectedRows, count)),
    );
  let shards = from?.shards ?? 1;
  const others = extraPartitions.map((partition) => openStream(partition, expectedRows));
  const streams = await allDone([...openShards(0, shards), ...others]);
  if (!from) {
    shards = takeShardCount(streams[0]?.rows ?? []);
    streams.push(...(await allDone(openShards(1, shards))));
  }

  for (;;) {
    for (const stream of streams) {
      await refill(stream, openStream, rowsPerShard(expectedRows, shards));
    }
    const newest = streams.reduce((best, stream) =>
      (stream.rows[0]?.[A.feedPosition] ?? "") > (best.rows[0]?.[A.feedPosition] ?? "") ? stream : best,
    );
    const row = newest.rows.shift();
    if (!row) return;
    const hasMore = streams.some(({ rows, next }) => rows.length > 0 || next !== undefined);
    yield { row, cursor: formatFeedCursor(row[A.feedPosition], shards), hasMore };
  }
}

/** The sort keys of a read, both inclusive. */
export interface FeedRange {
  readonly from: string;
  readonly upTo: string;
}

type OpenStream<T> = (partition: string, limit: number, start?: ShardStream<T>["next"]) => Promise<ShardStream<T>>;

/** Reads the rows of a shard in a range, some at a time. */
export function shardReader<T extends FeedRow>(
  table: Table,
  range: FeedRange,
  order: "ascending" | "descending",
): OpenStream<T> {
  return async (partition, limit, start) => {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: names.feedIndex.name,
        KeyConditionExpression: `${A.feed} = :f AND ${A.feedPosition} BETWEEN :from AND :upTo`,
        ExpressionAttributeValues: {
          ":f": partition,
          ":from": range.from,
          ":upTo": range.upTo,
        },
        ScanIndexForward: order === "ascending",
        Limit: limit,
        ExclusiveStartKey: start,
      }),
    );
    return { partition, rows: Items as T[], next: LastEvaluatedKey };
  };
}

/** Reads on until a shard has a row, or is read to its end. */
export async function refill<T>(stream: ShardStream<T>, openStream: OpenStream<T>, limit: number): Promise<void> {
  while (stream.rows.length === 0 && stream.next) {
    Object.assign(stream, await openStream(stream.partition, limit, stream.next));
  }
}

/**
 * One page of a feed.
 * @param examinedMax the page ends after this many rows, however few of them match
 */
export async function takePage<T>(
  rows: AsyncIterable<FeedEntry<T>>,
  limit: number,
  filter: (row: T) => boolean = () => true,
  examinedMax = Number.POSITIVE_INFINITY,
): Promise<{ rows: T[]; next: string | null }> {
  const matches: T[] = [];
  let examined = 0;
  for await (const { row, cursor, hasMore } of rows) {
    examined++;
    if (filter(row)) matches.push(row);
    if (matches.length === limit || examined === examinedMax) return { rows: matches, next: hasMore ? cursor : null };
  }
  return { rows: matches, next: null };
}

/** Removes the feed's header from its first rows, if there is one. @returns the number of shards, by default 1 */
export function takeShardCount(rows: FeedRow[]): number {
  if (rows[0]?.[A.feedPosition] !== FEED_HEADER) return 1;
  return (rows.shift() as FeedRow & { readonly [A.shards]: number })[A.shards];
}

/** Shards share a page about evenly. Reading a little more from each avoids most second reads. */
export function rowsPerShard(expectedRows: number, shards: number): number {
  return shards === 1 ? expectedRows : Math.ceil((expectedRows * 1.5) / shards);
}

/** A later page does not read the header, so the cursor carries the number of shards. */
function formatFeedCursor(position: string, shards: number): string {
  return shards === 1 ? position : `${shards}:${position}`;
}

function parseFeedCursor(text: string): { position: string; shards: number } {
  const [shards = "1", position = ""] = text.includes(":") ? text.split(":") : ["1", text];
  return { position, shards: Number(shards) };
}
