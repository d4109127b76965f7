import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { AccountRef } from "../../domain/accounts/accounts.ts";
import type { AccountHolder } from "../../domain/accounts/holders.ts";
import { allDone } from "../../kernel/parallel.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { isDeletedTenant } from "../access/tenant-conditions.ts";
import { accountRouteAttributes as Route } from "../attributes.ts";
import type { Table } from "../client.ts";
import { type Key, tenantKey } from "../keys.ts";
import { accountRouteKey } from "./account-keys.ts";

/** The tenant that receives an account's updates. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** The row from a platform's account to the tenants that have, or had, it. */
export interface AccountRouteItem extends Key {
  readonly [Route.tenant]?: string;
  /** The tenant that had the account last, of a route that is nobody's. */
  readonly [Route.former]?: string;
  /** From when on any tenant may connect the account, of a route that is nobody's. */
  readonly [Route.freeAt]?: Millis;
  readonly [Route.handle]?: string;
  readonly [Route.holders]?: readonly StoredHolder[];
}

/** A holder as it is stored: tenant, handle, from, until; 0 while the tenant has the account. */
type StoredHolder = readonly [string, string, Millis, Millis];

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
    /** The row of an account's route; null when there is none. Reads consistently. */
    getRouteItem: (ref: AccountRef) => readItem(ref, true),

    /**
     * The tenant that an account is connected to; null for none, and for an account that was let go. Reads eventually
     * consistently first, at half the price, and a missing route again, consistently: the account may have been
     * connected a moment ago.
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

/** A row of an earlier release names the present holder alone. */
export function toHolders(item: AccountRouteItem): AccountHolder[] {
  const { [Route.holders]: holders, [Route.tenant]: current, [Route.handle]: handle = "" } = item;
  const stored = holders ?? (current === undefined ? [] : [[current, handle, 0, 0] as const]);
  return stored.flatMap(([slug, holderHandle, from, until]) => {
    const tenant = parseTenant(slug);
    return tenant ? [{ tenant, handle: holderHandle, from, until: until === 0 ? null : until }] : [];
  });
}

/** The attribute of a route with its holders. */
export function toHoldersAttribute(holders: readonly AccountHolder[]) {
  const stored = holders.map(({ tenant, handle, from, until }): StoredHolder => [tenant, handle, from, until ?? 0]);
  return { [Route.holders]: stored };
}
