import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals, isUnchanged } from "#base/table/expressions.ts";
import { update } from "#base/table/writes.ts";
import type { AccountRef } from "../rules/accounts.ts";
import { accountAttributes as A } from "./attributes.ts";
import { type AccountItem, accountItemKey, isOfConnection } from "./items.ts";

const WRITE_ATTEMPTS_MAX = 4;

/**
 * Reads the account, and writes the changes unless another process has changed its status since: then again.
 * @param change the changes, or the result when there is nothing to write
 */
export async function changeStatus<T>(
  table: Table,
  tenant: TenantId,
  ref: AccountRef,
  change: (
    item: AccountItem,
  ) => { readonly result: T } | { readonly set: Record<string, unknown>; toResult(item: AccountItem): T },
): Promise<T | null> {
  const { client, name: TableName } = table;
  const Key = accountItemKey(tenant, ref);
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    if (!Item) return null;
    const item = Item as AccountItem;
    const planned = change(item);
    if ("result" in planned) return planned.result;
    const isUnchangedItem = allOf(
      isOfConnection(item[A.connectionId] ?? ""),
      equals(A.status, item[A.status]),
      isUnchanged(A.lastRefreshedAt, item[A.lastRefreshedAt]),
      isUnchanged(A.policy, item[A.policy]),
      isUnchanged(A.retryAt, item[A.retryAt]),
      isUnchanged(A.notices, item[A.notices]),
    );
    const result = await conditionalWrite<AccountItem>(
      table,
      update(Key, { set: planned.set }, isUnchangedItem, "ALL_NEW"),
    );
    if (result.applied && result.item) return planned.toResult(result.item);
  }
  throw new Error("Concurrent writes changed the account on every attempt to store its status.");
}
