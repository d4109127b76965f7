import { REPLY_WINDOW } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { oldestPosition, t13 } from "#base/table/keys.ts";
import { feedHeaderAttributes as A } from "./attributes.ts";
import {
  type FeedEntry,
  type FeedRange,
  type FeedRow,
  refill,
  rowsPerShard,
  shardReader,
  takeShardCount,
} from "./feeds.ts";
import { FEED_HEADER } from "./items.ts";

// The head of a conversation that waits for a reply has the time of its last inbound message as its position in the inbox. So
// the inbox, read upwards from 24 hours ago, has those first whose window for replies closes first. Below that, read upwards
// from 7 days ago, are those to whom only a person may still write.

interface ClosingQuery {
  /** The index partition of a shard. */
  readonly partitionKey: (shard: number) => string;
  /** The cursor of an earlier page; null starts at the window that closes first. */
  readonly after: string | null;
  /** How many rows the reader expects to take. */
  readonly expectedRows: number;
  readonly now: Millis;
}

interface ClosingCursor {
  /** Windows that began later were open when the first page was read. So no conversation is between two pages. */
  readonly openSince: Millis;
  readonly shards: number;
  readonly position: string;
}

/** The heads of a tenant's inbox in the order in which their windows would close, read on demand. */
export async function* closingRows<T extends FeedRow>(
  table: Table,
  { partitionKey, after, expectedRows, now }: ClosingQuery,
): AsyncGenerator<FeedEntry<T>> {
  const cursor = after === null ? null : parseCursor(after);
  const openSince = cursor?.openSince ?? now - REPLY_WINDOW;
  const shards = cursor?.shards ?? (await readShardCount(table, partitionKey(0)));
  const partitions = Array.from({ length: shards }, (_, shard) => partitionKey(shard));
  const limit = rowsPerShard(expectedRows, shards);
  const segments = segmentsAfter(cursor, { openSince, oldest: oldestPosition(now) });
  for (const [index, range] of segments.entries()) {
    const openStream = shardReader<T>(table, range, "ascending");
    const streams = await allDone(partitions.map((partition) => openStream(partition, limit)));
    for (;;) {
      for (const stream of streams) await refill(stream, openStream, limit);
      const [first] = streams
        .filter(({ rows }) => rows.length > 0)
        .sort((one, other) => (position(one.rows[0]) < position(other.rows[0]) ? -1 : 1));
      const row = first?.rows.shift();
      if (!row) break;
      const hasMore =
        index < segments.length - 1 || streams.some(({ rows, next }) => rows.length > 0 || next !== undefined);
      yield { row, cursor: formatCursor({ openSince, shards, position: position(row) }), hasMore };
    }
  }
}

/** The ranges that are still to be read: the open windows, then those of a person. */
function segmentsAfter(
  cursor: ClosingCursor | null,
  { openSince, oldest }: { openSince: Millis; oldest: string },
): FeedRange[] {
  const seam = t13(openSince + 1);
  const open: FeedRange = { from: seam, upTo: justBelowHeader };
  const person: FeedRange = { from: oldest, upTo: `${t13(openSince)}~` };
  if (cursor === null) return [open, person].filter(isNotEmpty);
  const from = justAbove(cursor.position);
  const rest =
    cursor.position >= seam ? [{ ...open, from }, person] : [{ ...person, from: from > oldest ? from : oldest }];
  return rest.filter(isNotEmpty);
}

/** Every position starts with a digit, the header does not. */
const justBelowHeader = ":";

function isNotEmpty({ from, upTo }: FeedRange): boolean {
  return from <= upTo;
}

/** The smallest text above a position. */
function justAbove(sortKey: string): string {
  return `${sortKey} `;
}

function position(row: FeedRow | undefined): string {
  return row?.[A.feedPosition] ?? "";
}

/** The header is the topmost entry of the first shard, where there are several. */
async function readShardCount(table: Table, partition: string): Promise<number> {
  const { rows } = await shardReader(table, { from: FEED_HEADER, upTo: FEED_HEADER }, "descending")(partition, 1);
  return takeShardCount(rows);
}

function formatCursor({ openSince, shards, position: at }: ClosingCursor): string {
  return `${openSince}:${shards}:${at}`;
}

function parseCursor(text: string): ClosingCursor {
  const [openSince, shards, at = ""] = text.split(":");
  return { openSince: Number(openSince), shards: Number(shards), position: at };
}
