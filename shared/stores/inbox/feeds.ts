import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { FEED_SIGN, type Key, oldestPlace, pageRange } from "../keys.ts";

// A tenant's feed, its inbox or its messages, lies in one or more shards of the feed index, all in the same order. How
// many there are, a reader learns on the way: once there are two, the first shard's topmost entry says so.

export interface FeedRow extends Key {
  readonly G: string;
}

export interface FeedQuery {
  /** The index partition of a shard. */
  readonly partitionOf: (shard: number) => string;
  /** Further partitions in the same order, to be read as one with the feed. */
  readonly beside?: readonly string[];
  /** Goes on below this, as an earlier page gave it; null begins at the newest. */
  readonly before: string | null;
  /** How many rows the reader expects to take. */
  readonly expected: number;
  readonly now: Millis;
}

interface Placed<T> {
  readonly row: T;
  /** To go on after this row, in every shard. */
  readonly goOn: string;
  /** Whether there may be another row after it. */
  readonly more: boolean;
}

interface Stream<T> {
  readonly partition: string;
  rows: T[];
  next: Record<string, unknown> | undefined;
}

/** The rows of a feed within its retention, newest first, read as they are asked for. */
export async function* feedRows<T extends FeedRow>(table: Table, query: FeedQuery): AsyncGenerator<Placed<T>> {
  const { before, partitionOf, beside = [], expected, now } = query;
  const from = before === null ? null : readPlace(before);
  const range = pageRange(oldestPlace(now), from?.place ?? null, FEED_SIGN);
  if (!range) return;
  const open = async (partition: string, limit: number, start?: Stream<T>["next"]): Promise<Stream<T>> => {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: names.feedIndex.name,
        KeyConditionExpression: "F = :f AND G BETWEEN :from AND :upTo",
        ExpressionAttributeValues: {
          ":f": partition,
          ":from": range.from,
          ":upTo": range.upTo,
        },
        ScanIndexForward: false,
        Limit: limit,
        ExclusiveStartKey: start,
      }),
    );
    return { partition, rows: Items as T[], next: LastEvaluatedKey };
  };

  const first = open(partitionOf(0), rowsAsked(expected, from?.shards ?? 1));
  const others = beside.map((partition) => open(partition, expected));
  const shards = from?.shards ?? takeSign((await first).rows);
  for (let shard = 1; shard < shards; shard++) others.push(open(partitionOf(shard), rowsAsked(expected, shards)));
  const streams = await Promise.all([first, ...others]);

  for (;;) {
    for (const stream of streams) {
      while (stream.rows.length === 0 && stream.next) {
        Object.assign(stream, await open(stream.partition, rowsAsked(expected, shards), stream.next));
      }
    }
    const newest = streams.reduce((best, one) => ((one.rows[0]?.G ?? "") > (best.rows[0]?.G ?? "") ? one : best));
    const row = newest.rows.shift();
    if (!row) return;
    const more = streams.some(({ rows, next }) => rows.length > 0 || next !== undefined);
    yield { row, goOn: writePlace(row.G, shards), more };
  }
}

/**
 * One page of a feed.
 * @param examinedMax where `keep` is choosy the page ends after so many rows, short or empty, and goes on from there
 */
export async function takePage<T>(
  rows: AsyncIterable<Placed<T>>,
  limit: number,
  keep: (row: T) => boolean = () => true,
  examinedMax = Number.POSITIVE_INFINITY,
): Promise<{ rows: T[]; next: string | null }> {
  const kept: T[] = [];
  let examined = 0;
  for await (const { row, goOn, more } of rows) {
    examined++;
    if (keep(row)) kept.push(row);
    if (kept.length === limit || examined === examinedMax) return { rows: kept, next: more ? goOn : null };
  }
  return { rows: kept, next: null };
}

/** Removes the sign of a feed's shards from the top of its first rows; without one there is one shard. */
function takeSign(rows: FeedRow[]): number {
  if (rows[0]?.G !== FEED_SIGN) return 1;
  return (rows.shift() as FeedRow & { readonly n: number }).n;
}

/** Shards share a page about evenly; a little more of each spares most second reads. */
function rowsAsked(expected: number, shards: number): number {
  return shards === 1 ? expected : Math.ceil((expected * 1.5) / shards);
}

/** A later page does not see the sign, so the place carries the number of shards. */
function writePlace(place: string, shards: number): string {
  return shards === 1 ? place : `${shards}:${place}`;
}

function readPlace(text: string): { place: string; shards: number } {
  const [shards = "1", place = ""] = text.includes(":") ? text.split(":") : ["1", text];
  return { place, shards: Number(shards) };
}
