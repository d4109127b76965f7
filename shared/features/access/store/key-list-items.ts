import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { queryAll } from "#base/table/query-all.ts";
import { type ApiKeyItem, type ListedKey, listKey, toListedKey } from "./api-key-items.ts";

/** The keys of a tenant, or the operator keys for null, oldest first, also revoked ones. Read consistently. */
export async function readKeyList(table: Table, owner: TenantId | null): Promise<readonly ListedKey[]> {
  return (await queryAll<ApiKeyItem>(table, listKey(owner, ""))).map(toListedKey);
}
