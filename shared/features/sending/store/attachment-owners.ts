import { ATTACHMENT_LIFETIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { assign, sendWrite } from "#base/table/writes.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { attachmentOwnerAttributes as A } from "./attributes.ts";
import { attachmentOwnerKey } from "./items.ts";

export type AttachmentOwners = ReturnType<typeof attachmentOwnerStore>;

/** An attachment that a platform accepted. */
export interface UploadedAttachment {
  readonly attachmentId: string;
  /** The account that it was uploaded for. */
  readonly accountKey: string;
  readonly scope: Scope;
  readonly uploadedAt: Millis;
}

/** The accounts that tenants uploaded attachments for, for as long as the platforms store an unused attachment. */
export function attachmentOwnerStore(table: Table) {
  return {
    /** Records the account of an attachment for 90 days. Safe to repeat. */
    async put(tenant: TenantId, { attachmentId, accountKey, scope, uploadedAt }: UploadedAttachment): Promise<void> {
      const expiresAt = uploadedAt + ATTACHMENT_LIFETIME;
      const item = {
        ...attachmentOwnerKey(tenant, attachmentId),
        [A.accountKey]: accountKey,
        [A.test]: scope === "test" ? true : undefined,
        [A.expiresAt]: expiresAt,
        [A.ttl]: timeToLive(expiresAt),
      };
      await sendWrite(table, assign(item));
    },

    /**
     * The keys of the accounts that the tenant uploaded these attachments for, in their order; null for an attachment
     * that the tenant did not upload here. Reads eventually consistently: a client learns an id after the record was
     * stored, and the platform refuses the rest.
     */
    async getAccountKeys(tenant: TenantId, attachmentIds: readonly string[], now: Millis): Promise<(string | null)[]> {
      const keys = [...new Set(attachmentIds)].map((id) => attachmentOwnerKey(tenant, id));
      const items = await batchGet<OwnerItem>(table, keys);
      const valid = items.filter((item) => now < item[A.expiresAt]);
      const accountKeys = new Map(valid.map((item) => [item.PK, item[A.accountKey]]));
      return attachmentIds.map((id) => accountKeys.get(attachmentOwnerKey(tenant, id).PK) ?? null);
    },
  };
}

interface OwnerItem extends Key {
  readonly [A.accountKey]: string;
  readonly [A.expiresAt]: Millis;
}
