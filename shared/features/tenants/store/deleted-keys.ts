import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals } from "#base/table/expressions.ts";
import { remove, update } from "#base/table/writes.ts";
import { apiKeyAttributes as A } from "#features/access/store/attributes.ts";
import {
  apiKeyLookupKey,
  type ListedKey,
  listedKeyRow,
  operatorKeyItemKey,
  readKeyList,
} from "#features/access/store/items.ts";

/** Keys removed by one transaction of at most 100 items: each has two rows. */
const KEYS_PER_TRANSACTION = 50;
/** How often the keys are listed while their requests move their lookup rows. */
const LISTINGS_MAX = 5;

/**
 * Removes both rows of each key of a tenant, and takes the tenant from the operator keys. No new key can be created in
 * the meantime, but a request can move a key's lookup row: the list then names another hash.
 * @returns the number of rows removed or changed
 */
export async function removeTenantKeys(table: Table, tenant: TenantId): Promise<number> {
  let rows = 0;
  for (let attempt = 1; attempt <= LISTINGS_MAX; attempt++) {
    const keys = await readKeyList(table, tenant);
    const operatorKeys = (await readKeyList(table, null)).filter(({ tenants }) => tenants.includes(tenant));
    if (keys.length + operatorKeys.length === 0) return rows;
    for (let start = 0; start < keys.length; start += KEYS_PER_TRANSACTION) {
      const page = keys.slice(start, start + KEYS_PER_TRANSACTION);
      const { applied } = await conditionalTransaction(
        table,
        page.flatMap(({ id, hash }) => [
          remove(listedKeyRow(tenant, id), equals(A.hash, hash)),
          remove(apiKeyLookupKey(hash)),
        ]),
      );
      if (applied) rows += 2 * page.length;
    }
    for (const key of operatorKeys) rows += await takeTenant(table, key, tenant);
  }
  throw new Error("The lookup rows of the tenant's API keys were moved too often.");
}

async function takeTenant(table: Table, { id, hash, tenants, status }: ListedKey, tenant: TenantId): Promise<number> {
  const set = { [A.tenants]: tenants.filter((slug) => slug !== tenant) };
  const hasTenants = equals(A.tenants, tenants);
  const listRow = update(operatorKeyItemKey(id), { set }, allOf(hasTenants, equals(A.hash, hash)));
  const deleteFrom = { [A.suspendedTenants]: new Set([tenant]) };
  const result = await conditionalTransaction(table, [
    listRow,
    update(apiKeyLookupKey(hash), { set, deleteFrom }, hasTenants),
  ]);
  if (result.applied) return 2;
  // The two rows of a revoked key expire together, but the time to live deletes one before the other.
  const hasExpired = status === "revoked" && result.current[0] === undefined && result.current[1] === null;
  return hasExpired && (await conditionalWrite(table, listRow)).applied ? 1 : 0;
}
