import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { allDone } from "#base/kernel/parallel.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { tenantKey } from "#features/access/store/items.ts";
import { isDeletedTenant } from "#features/access/store/membership-items.ts";
import type { AccountRef } from "../rules/accounts.ts";
import type { AccountHolder } from "../rules/holders.ts";
import { accountRouteAttributes as Route } from "./attributes.ts";
import { type AccountRouteItem, accountRouteKey, toHolders } from "./items.ts";

/** The tenant that receives an account's updates. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** Who has, or had, an account. */
export function accountRoutes(table: Table) {
  const { client, name: TableName } = table;
  async function readItem(ref: AccountRef, ConsistentRead: boolean): Promise<AccountRouteItem | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: accountRouteKey(ref), ConsistentRead }));
    return (Item as AccountRouteItem | undefined) ?? null;
  }

  async function isDeleted(tenant: TenantId): Promise<boolean> {
    const { Item } = await client.send(new GetCommand({ TableName, Key: tenantKey(tenant), ConsistentRead: true }));
    return Item !== undefined && isDeletedTenant(Item);
  }

  return {
    /**
     * The tenant that an account is connected to; null for none, and for an account that was disconnected. Reads
     * eventually consistently first, at half the price, and a missing route again, consistently: the account may have
     * been connected a moment ago.
     */
    async getRoute(ref: AccountRef): Promise<AccountRoute | null> {
      const readRoute = async (isConsistent: boolean): Promise<AccountRoute | null> => {
        const item = await readItem(ref, isConsistent);
        const tenant = parseTenant(item?.[Route.tenant] ?? "");
        return tenant && { tenant, handle: item?.[Route.handle] ?? "" };
      };
      return (await readRoute(false)) ?? (await readRoute(true));
    },

    /**
     * The tenants that have an account, or had it in the last seven days. Former holders that are deleted have none of
     * its messages. Costs a read for each former holder.
     */
    async listHolders(ref: AccountRef, { consistent = false } = {}): Promise<AccountHolder[]> {
      const item = await readItem(ref, consistent);
      const holders = item ? toHolders(item) : [];
      const isLive = await allDone(
        holders.map(async ({ tenant, until }) => until === null || !(await isDeleted(tenant))),
      );
      return holders.filter((_, index) => isLive[index]);
    },
  };
}
