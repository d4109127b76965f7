import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, isUnchanged, itemExists } from "#base/table/expressions.ts";
import { update } from "#base/table/writes.ts";
import type { AccountRef } from "../rules/accounts.ts";
import { holdersAfterDataDeletion } from "../rules/holders.ts";
import { accountRouteAttributes as Route } from "./attributes.ts";
import { type AccountRouteItem, accountRouteKey, toHolders, toHoldersAttribute } from "./items.ts";

const WRITE_ATTEMPTS_MAX = 4;

export type HolderTimes = ReturnType<typeof holderTimeStore>;

/** The times in which tenants had an account, where a data deletion changes them. */
export function holderTimeStore(table: Table) {
  return {
    /**
     * Removes a tenant's times of an account, of which a person requested the deletion of their data. Safe to repeat.
     * @param request `keepsNewer`: what is later than the request stays
     * @returns whether there were any
     */
    async removeTimes(
      tenant: TenantId,
      ref: AccountRef,
      request: { readonly requestedAt: Millis; readonly keepsNewer: boolean },
    ): Promise<boolean> {
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const item = await readRoute(ref);
        const holders = item ? toHolders(item) : [];
        const left = holdersAfterDataDeletion(holders, { tenant, ...request });
        const isSame = left.length === holders.length && left.every(({ from }, i) => from === holders[i]?.from);
        if (!item || isSame) return false;
        const isAsRead = allOf(itemExists, isUnchanged(Route.holders, item[Route.holders]));
        const write = update(accountRouteKey(ref), { set: toHoldersAttribute(left) }, isAsRead);
        if ((await conditionalWrite(table, write)).applied) return true;
      }
      throw new Error("Concurrent writes changed the route on every attempt to remove times from it.");
    },
  };

  async function readRoute(ref: AccountRef): Promise<AccountRouteItem | null> {
    const command = new GetCommand({ TableName: table.name, Key: accountRouteKey(ref), ConsistentRead: true });
    return ((await table.client.send(command)).Item as AccountRouteItem | undefined) ?? null;
  }
}
