import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { HOUR, type Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { DUE_SHARDS, type Key, startOfHour, t13, timeOfPlace } from "./keys.ts";

/** What one query reads of a shard. */
const READ_AT_ONCE = 100;
const PAGE_MAX = 100;

/** A place in the order of due items: several may be due at one instant. */
export interface DuePlace {
  readonly at: Millis;
  /** The last item's sort key, or what sorts behind all that is due at that instant. */
  readonly key: string;
}

/** What is due next. */
export interface DuePage<T> {
  /** In the order of their places; none where an hour holds nothing. */
  readonly items: readonly T[];
  /** Nothing lies before this that is in no page by now. */
  readonly upTo: DuePlace;
  readonly last: boolean;
}

/** Behind everything that is due at an instant. */
export function behind(at: Millis): DuePlace {
  return { at, key: `${t13(at)}~` };
}

export function duePlaceOf(key: string): DuePlace {
  return { at: timeOfPlace(key), key };
}

/**
 * All that is due in (after, upTo] in order, an hour's shards read side by side: a page at most a hundred items long, and
 * at least one for each hour.
 */
export async function* dueInOrder<T extends Key>(
  table: Table,
  partitionOf: (hour: Millis, shard: number) => string,
  after: DuePlace,
  upTo: Millis,
): AsyncGenerator<DuePage<T>> {
  // A sweep at the instant of the last one, or by a clock behind it: a range may not end before it begins.
  if (behind(upTo).key <= after.key) return;
  const lastHour = startOfHour(upTo);
  for (let hour = startOfHour(after.at); hour <= lastHour; hour += HOUR) {
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) =>
      openShard<T>(table, partitionOf(hour, shard), after, upTo),
    );
    let gathered: T[] = [];
    for (let known: string | null = ""; known !== null; ) {
      await Promise.all(shards.map((shard) => shard.refill()));
      known = least(shards.map((shard) => shard.readUpTo()));
      gathered.push(...shards.flatMap((shard) => shard.take(known)).sort(bySortKey));
      for (; gathered.length > PAGE_MAX; gathered = gathered.slice(PAGE_MAX)) {
        const items = gathered.slice(0, PAGE_MAX);
        yield { items, upTo: duePlaceOf(items.at(-1)?.SK ?? ""), last: false };
      }
    }
    const last = hour === lastHour;
    yield { items: gathered, upTo: behind(last ? upTo : hour + HOUR - 1), last };
  }
}

/** One shard of an hour, read as far as it is asked for. */
function openShard<T extends Key>({ client, name: TableName }: Table, PK: string, after: DuePlace, upTo: Millis) {
  let waiting: T[] = [];
  let next: Record<string, unknown> | undefined;
  let begun = false;
  return {
    /** Reads on where nothing of it waits. */
    async refill(): Promise<void> {
      if (waiting.length > 0 || (begun && !next)) return;
      const answer = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :q AND SK BETWEEN :from AND :upTo",
          // A range holds its ends: no other sort key lies between a place and the same with a blank.
          ExpressionAttributeValues: { ":q": PK, ":from": `${after.key} `, ":upTo": behind(upTo).key },
          ExclusiveStartKey: next,
          Limit: READ_AT_ONCE,
        }),
      );
      begun = true;
      waiting = (answer.Items ?? []) as T[];
      next = answer.LastEvaluatedKey;
    },

    /** How far it was read; null when there is no more of it. */
    readUpTo: (): string | null => (next ? String(next.SK) : null),

    /** What waits up to a sort key, or all of it. */
    take(sortKey: string | null): T[] {
      const taken = waiting.filter(({ SK }) => sortKey === null || SK <= sortKey);
      waiting = waiting.slice(taken.length);
      return taken;
    },
  };
}

function least(keys: readonly (string | null)[]): string | null {
  return keys.filter((key) => key !== null).reduce<string | null>((a, b) => (a !== null && a < b ? a : b), null);
}

function bySortKey(a: Key, b: Key): number {
  return a.SK < b.SK ? -1 : 1;
}
