import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals, isUnchanged, storedOr } from "#base/table/expressions.ts";
import { put, update } from "#base/table/writes.ts";
import { restoreAttributes as A } from "./attributes.ts";
import { restoreKey } from "./items.ts";

/** A restore of the table. */
export interface Restore {
  /** The time to which the table was restored. */
  readonly from: Millis;
  /** From when on the journal has acts that the table may not know: also those of a restore that `from` interrupted. */
  readonly journalSince: Millis;
  readonly startedAt: Millis;
  /** Until when the platforms are asked; null before they are. */
  readonly fetchUntil: Millis | null;
  /** Null while it is in progress. */
  readonly endedAt: Millis | null;
}

/**
 * - `started`: also one that continues
 * - `ended`: the table was restored from this time before, and nothing is left to do
 * - `other`: the table's last restore, which this release did not copy with it, has another time
 */
export type RestoreStart =
  | { readonly kind: "started"; readonly restore: Restore }
  | { readonly kind: "ended"; readonly restore: Restore }
  | { readonly kind: "other"; readonly restore: Restore };

/** The clocks of an operator and of the table may differ by this much. */
const CLOCK_DIFFERENCE_MAX: Millis = 2 * MINUTE;

export type Restores = ReturnType<typeof restoreStore>;

/** One row of the table: the restore in progress, or the last one. */
export function restoreStore(table: Table) {
  const { client, name: TableName } = table;

  async function read(): Promise<Restore | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: restoreKey, ConsistentRead: true }));
    return Item ? toRestore(Item as RestoreItem) : null;
  }

  return {
    /** The restore in progress, or the last one. Reads consistently. Null when the table was never restored. */
    read,

    /** Starts a restore, or continues it. A row that is older than `from` was copied with the table. Safe to repeat. */
    async start(from: Millis, now: Millis): Promise<RestoreStart> {
      const last = await read();
      if (last?.from === from) return { kind: last.endedAt === null ? "started" : "ended", restore: last };
      const isCopied = last !== null && (last.endedAt ?? last.startedAt) <= from + CLOCK_DIFFERENCE_MAX;
      if (last !== null && !isCopied) return { kind: "other", restore: last };
      // A restore that was not over at that time is completed by this one.
      const journalSince = last !== null && last.endedAt === null ? Math.min(from, last.journalSince) : from;
      const item = { ...restoreKey, [A.from]: from, [A.journalSince]: journalSince, [A.startedAt]: now };
      const isAsRead = allOf(isUnchanged(A.from, last?.from), isUnchanged(A.endedAt, last?.endedAt ?? undefined));
      const result = await conditionalWrite<RestoreItem>(table, put(item, isAsRead), { ownMark: item });
      const restore = result.applied ? toRestore(item as unknown as RestoreItem) : await read();
      if (restore?.from !== from) throw new Error("Another restore has started at the same time.");
      return { kind: "started", restore };
    },

    /** Stores until when the platforms are asked. Safe to repeat: the first time stays. */
    async setFetchUntil(from: Millis, until: Millis): Promise<Millis> {
      const set = { [A.fetchUntil]: storedOr(A.fetchUntil, until) };
      await conditionalWrite(table, update(restoreKey, { set }, equals(A.from, from)));
      return (await read())?.fetchUntil ?? until;
    },

    /** Safe to repeat: the first time stays. @returns when it ended */
    async end(from: Millis, now: Millis): Promise<Millis> {
      const set = { [A.endedAt]: storedOr(A.endedAt, now) };
      await conditionalWrite(table, update(restoreKey, { set }, equals(A.from, from)));
      return (await read())?.endedAt ?? now;
    },
  };
}

interface RestoreItem {
  readonly [A.from]: Millis;
  readonly [A.journalSince]: Millis;
  readonly [A.startedAt]: Millis;
  readonly [A.fetchUntil]?: Millis;
  readonly [A.endedAt]?: Millis;
}

function toRestore(item: RestoreItem): Restore {
  return {
    from: item[A.from],
    journalSince: item[A.journalSince],
    startedAt: item[A.startedAt],
    fetchUntil: item[A.fetchUntil] ?? null,
    endedAt: item[A.endedAt] ?? null,
  };
}
