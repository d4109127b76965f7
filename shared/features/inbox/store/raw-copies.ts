import { RETENTION } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, sendWrite } from "#base/table/writes.ts";
import { rawCopyAttributes as A } from "./attributes.ts";
import { rawCopyKey } from "./items.ts";

/** The raw copies of one batch. */
export interface RawCopies {
  /** The same for the same webhooks. */
  readonly name: string;
  /** When the first of them arrived: all end with it. */
  readonly arrivedAt: Millis;
  /** The compressed lines of the copies. */
  readonly content: Uint8Array;
}

export type RawCopyStore = ReturnType<typeof rawCopyStore>;

/** Raw copies that are too small for a file of their own. No function reads them. */
export function rawCopyStore(table: Table) {
  return {
    /** Safe to repeat: the same copies replace themselves. */
    async save({ name, arrivedAt, content }: RawCopies): Promise<void> {
      const end = { [A.ttl]: timeToLive(arrivedAt + RETENTION) };
      await sendWrite(table, put({ ...rawCopyKey(arrivedAt, name), [A.content]: content, ...end }));
    },
  };
}
