import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { isUnchanged } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { remove } from "#base/table/writes.ts";
import { uploadAttributes as A } from "./attributes.ts";

export type UploadRemovals = ReturnType<typeof uploadRemovalStore>;

/** The row of an upload to remove, and what refers to its copy. */
export interface RemovableUpload {
  readonly id: string;
  readonly key: Key;
  /** Null while there is no copy. */
  readonly copyKey: string | null;
}

interface UploadKeys extends Key {
  readonly [A.copyKey]?: string;
}

/** Requests in flight at once. */
const CONCURRENCY = 4;

/** Rows of uploads on their way out. */
export function uploadRemovalStore(table: Table) {
  return {
    /** The uploads of these keys that exist, read consistently. */
    async load(keys: readonly Key[]): Promise<RemovableUpload[]> {
      const projection = ["PK", "SK", A.copyKey].join(", ");
      const rows = await batchGet<UploadKeys>(table, keys, { consistent: true, projection, concurrency: CONCURRENCY });
      return rows.map(toRemovable);
    },

    /**
     * Removes uploads that still have the copy that was read. Safe to repeat.
     * @returns the others as they are now: a finish stored another copy
     */
    async remove(uploads: readonly RemovableUpload[]): Promise<RemovableUpload[]> {
      const changed: RemovableUpload[] = [];
      await forEachConcurrent(uploads, CONCURRENCY, async ({ key, copyKey }) => {
        const write = remove(key, isUnchanged(A.copyKey, copyKey ?? undefined));
        const result = await conditionalWrite<UploadKeys>(table, write);
        if (!result.applied && result.current) changed.push(toRemovable(result.current));
      });
      return changed;
    },
  };
}

function toRemovable({ PK, SK, [A.copyKey]: copyKey }: UploadKeys): RemovableUpload {
  return { id: PK.slice("U#".length), key: { PK, SK }, copyKey: copyKey ?? null };
}
