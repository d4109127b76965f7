import { attachmentOwnerAttributes as A } from "../attributes.ts";
import { batchGet } from "../batches.ts";
import type { Table } from "../client.ts";
import { attachmentOwnerKey, type Key } from "../keys.ts";

export type AttachmentOwners = ReturnType<typeof attachmentOwnerStore>;

/** The accounts that uploaded attachments to the platforms. */
export function attachmentOwnerStore(table: Table) {
  return {
    /**
     * The keys of the accounts that uploaded these attachments, in their order; null for an unknown attachment. Reads
     * eventually consistently: a client learns an id after the record was stored, and the platform refuses the rest.
     */
    async getAccountKeys(attachmentIds: readonly string[]): Promise<(string | null)[]> {
      const keys = [...new Set(attachmentIds)].map(attachmentOwnerKey);
      const items = await batchGet<OwnerItem>(table, keys);
      const accountKeys = new Map(items.map((item) => [item.PK, item[A.accountKey]]));
      return attachmentIds.map((id) => accountKeys.get(attachmentOwnerKey(id).PK) ?? null);
    },
  };
}

interface OwnerItem extends Key {
  readonly [A.accountKey]: string;
}
