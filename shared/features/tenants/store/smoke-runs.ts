import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import type { Key } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { assign } from "#base/table/writes.ts";

/** How long a run that was stopped keeps others from deleting its tenant. A run in progress renews it before each step. */
export const SMOKE_LEASE: Millis = MINUTE;

const PARTITION = "SMOKE";
const A = { leaseUntil: "le" } as const;

type SmokeItem = Key & { readonly [A.leaseUntil]: Millis };

/** A row for each temporary tenant of `smoke` that may exist, so that a later run finds what one left that was stopped. */
export function smokeRunStore(table: Table) {
  const { client, name: TableName } = table;
  const toKey = (tenant: TenantId): Key => ({ PK: PARTITION, SK: tenant });
  return {
    /** Stores the tenant before it is created, and renews its lease. Safe to repeat. */
    async renew(tenant: TenantId, now: Millis): Promise<void> {
      await conditionalWrite(table, assign({ ...toKey(tenant), [A.leaseUntil]: now + SMOKE_LEASE }));
    },

    /** Those whose run was stopped. Read consistently. */
    async listStopped(now: Millis): Promise<TenantId[]> {
      const items = await queryAll<SmokeItem>(table, { PK: PARTITION, SK: "" });
      return items.flatMap((item) => (item[A.leaseUntil] <= now ? (parseTenant(item.SK) ?? []) : []));
    },

    /** Once the tenant is deleted. Safe to repeat. */
    async remove(tenant: TenantId): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: toKey(tenant) }));
    },
  };
}
