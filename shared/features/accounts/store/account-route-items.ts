import { parseTenant } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import type { AccountHolder } from "../rules/holders.ts";
import { accountRouteAttributes as Route } from "./attributes.ts";

/** The row from a platform's account to the tenants that have, or had, it. */
export interface AccountRouteItem extends Key {
  readonly [Route.tenant]?: string;
  /** The tenant that had the account last, of a route that is no tenant's. */
  readonly [Route.former]?: string;
  /** From when on any tenant may connect the account, of a route that is no tenant's. */
  readonly [Route.freeAt]?: Millis;
  readonly [Route.handle]?: string;
  readonly [Route.holders]?: readonly StoredHolder[];
}

/** A holder as it is stored: tenant, handle, from, until; 0 while the tenant has the account. */
type StoredHolder = readonly [string, string, Millis, Millis];

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
