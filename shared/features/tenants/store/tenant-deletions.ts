import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { ACCOUNT_RELEASE_WAIT, DELETED_SLUG_RETENTION } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { batchRemove } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, atMost, equals, isUnchanged, itemExists } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { put, remove, update } from "#base/table/writes.ts";
import { tenantAttributes as A } from "#features/access/store/attributes.ts";
import { MEMBERSHIP, tenantKey, userMembershipKey } from "#features/access/store/items.ts";
import { isNotDeleted } from "#features/access/store/membership-items.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { HOLDER_RETENTION } from "#features/accounts/rules/holders.ts";
import { accountRouteAttributes as Route } from "#features/accounts/store/attributes.ts";
import {
  type AccountRouteItem,
  accountRouteKey,
  toHolders,
  toHoldersAttribute,
} from "#features/accounts/store/items.ts";
import { removeTenantKeys } from "./deleted-keys.ts";

/** The row that is left of a deleted tenant. */
export interface DeletedTenant {
  readonly deletedAt: Millis;
  readonly deletedBy: string;
  /** From then on another tenant may have the slug. */
  readonly slugFreeAt: Millis;
}

/** `running`: the tenant is being deleted, by this run or an earlier one. Null when there is no such tenant. */
export type DeletionState = { readonly status: "running" } | ({ readonly status: "deleted" } & DeletedTenant) | null;

/** Requests in flight at once. */
const CONCURRENCY = 4;

export type TenantDeletions = ReturnType<typeof tenantDeletionStore>;

/** The deletion of tenants: its state on the tenant's row, and the rows that give access or receive data. */
export function tenantDeletionStore(table: Table) {
  return {
    /** Starts the deletion of a tenant, or continues one. From then on nothing new is made for the tenant. */
    async start(
      tenant: TenantId,
      { actor, now }: { readonly actor: string; readonly now: Millis },
    ): Promise<DeletionState> {
      const changes = { set: { [A.status]: "deleting", [A.deletedBy]: actor, [A.updatedAt]: now } };
      const result = await conditionalWrite(table, update(tenantKey(tenant), changes, allOf(itemExists, isNotDeleted)));
      return result.applied ? { status: "running" } : toDeletionState(result.current, now);
    },

    /**
     * Removes what gives access to a tenant and what receives data for it: its keys, its members' side of the
     * memberships, and then the rest of its partition. The routes of its accounts become no tenant's. Finds all of it
     * by key. Safe to repeat.
     * @returns the number of rows removed
     */
    async removeAccess(tenant: TenantId, now: Millis): Promise<number> {
      const keyRows = await removeTenantKeys(table, tenant);
      const { PK, SK: tenantSortKey } = tenantKey(tenant);
      const rows = (await queryAll<Key>(table, { PK, SK: "" })).filter(({ SK }) => SK !== tenantSortKey);
      const userIds = rows.flatMap(({ SK }) => (SK.startsWith(MEMBERSHIP) ? [SK.slice(MEMBERSHIP.length)] : []));
      await batchRemove(
        table,
        userIds.map((userId) => userMembershipKey(userId, tenant)),
        { concurrency: CONCURRENCY },
      );
      await forEachConcurrent(rows.flatMap(toRouteKey), CONCURRENCY, async (route) => {
        await releaseRoute(table, { tenant, route, now });
      });
      const keys = rows.map(({ SK }) => ({ PK, SK }));
      await batchRemove(table, keys, { concurrency: CONCURRENCY });
      return keyRows + keys.length;
    },

    /**
     * Ends a deletion: only the row that keeps the slug taken is left, with who deleted the tenant and when.
     * Safe to repeat: the first run counts.
     */
    async finish(
      tenant: TenantId,
      { actor, now }: { readonly actor: string; readonly now: Millis },
    ): Promise<DeletedTenant> {
      const left = {
        [A.status]: "deleted",
        [A.deletedBy]: actor,
        [A.updatedAt]: now,
        [A.ttl]: timeToLive(now + DELETED_SLUG_RETENTION),
      };
      const write = put({ ...tenantKey(tenant), ...left }, equals(A.status, "deleting"));
      const result = await conditionalWrite(table, write);
      const state = toDeletionState(result.applied ? left : result.current, now);
      if (state?.status !== "deleted") throw new Error("The tenant is not being deleted.");
      return state;
    },
  };
}

/**
 * Makes the route of an account no tenant's, unless the account is connected to another tenant in the meantime, and
 * removes the times in which the tenant had it. For two minutes, as long as workers may remember it, it keeps other
 * tenants from connecting the account. A later call removes it, or what names the tenant in it where another tenant had
 * the account before.
 * @returns whether nothing of the tenant is left in the route
 */
export async function releaseRoute(
  table: Table,
  { tenant, route, now }: { readonly tenant: TenantId; readonly route: Key; readonly now: Millis },
): Promise<boolean> {
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: route, ConsistentRead: true }));
  if (!Item) return true;
  const item = Item as AccountRouteItem;
  const others = toHolders(item).filter((holder) => holder.tenant !== tenant);
  const isAsRead = isUnchanged(Route.holders, item[Route.holders]);
  if (item[Route.tenant] === tenant) {
    const ttl = timeToLive(now + HOLDER_RETENTION);
    const free = { [Route.former]: tenant, [Route.freeAt]: now + ACCOUNT_RELEASE_WAIT, [Route.ttl]: ttl };
    const changes = { set: { ...free, ...toHoldersAttribute(others) }, remove: [Route.tenant, Route.handle] };
    await conditionalWrite(table, update(route, changes, allOf(equals(Route.tenant, tenant), isAsRead)));
    return false;
  }
  if (item[Route.former] !== tenant) return true;
  const isOver = allOf(equals(Route.former, tenant), atMost(Route.freeAt, now), isAsRead);
  const changes = { set: toHoldersAttribute(others), remove: [Route.former] };
  const write = others.length === 0 ? remove(route, isOver) : update(route, changes, isOver);
  return (await conditionalWrite(table, write)).applied;
}

/** The key of the route of an account in a tenant's partition. */
function toRouteKey({ SK }: Key): Key[] {
  const [kind, platform, externalId] = SK.split("#");
  if (kind !== "ACC" || !platform || !externalId) return [];
  return [accountRouteKey({ platform: platform as PlatformName, externalId })];
}

function toDeletionState(item: Readonly<Record<string, unknown>> | null, now: Millis): DeletionState {
  if (item?.[A.status] === "deleting") return { status: "running" };
  if (item?.[A.status] !== "deleted") return null;
  const slugFreeAt = Number(item[A.ttl]) * SECOND;
  // The time to live deletes the row hours or days late.
  if (slugFreeAt <= now) return null;
  const { [A.updatedAt]: deletedAt, [A.deletedBy]: deletedBy } = item;
  return { status: "deleted", deletedAt: Number(deletedAt), deletedBy: String(deletedBy), slugFreeAt };
}
