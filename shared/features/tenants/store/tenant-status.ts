import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { allOf, type Changes, differs, equals, itemExists } from "#base/table/expressions.ts";
import { queryAll } from "#base/table/query-all.ts";
import { check, put, update } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { tenantAttributes as A, apiKeyAttributes, membershipAttributes } from "#features/access/store/attributes.ts";
import {
  apiKeyLookupKey,
  auditItem,
  membershipKey,
  readKeyList,
  tenantKey,
  userMembershipKey,
} from "#features/access/store/items.ts";
import {
  isDeletedTenant,
  isNotDeleted,
  type MembershipItem,
  toMembership,
} from "#features/access/store/membership-items.ts";
import type { Tenant } from "./tenants.ts";

export type TenantStatus = Tenant["status"];
export type TenantStatuses = ReturnType<typeof tenantStatusStore>;

/** A transaction has at most 100 items, and one of them checks the tenant. */
const MARKS_PER_TRANSACTION = 99;
/** How often the keys are listed while their requests move their lookup rows. */
const LISTINGS_MAX = 5;

/**
 * The status of a tenant is on its own row, and as a mark on the lookup row of each key that gives access to it and on
 * the user's side of each membership. So a request learns it from the rows that authenticate it. The tenant's row is
 * written first, and a key or membership that is created later has the mark from its beginning.
 */
export function tenantStatusStore(table: Table) {
  /** The hashes of the active keys in the list of an owner that give access to the tenant. */
  async function keyHashes(owner: TenantId | null, tenant: TenantId): Promise<string[]> {
    const keys = await readKeyList(table, owner);
    return keys.flatMap(({ status, tenants, hash }) => (status === "active" && tenants.includes(tenant) ? [hash] : []));
  }

  return {
    /** Sets the status on the tenant's row, with an audit row. `unchanged`: it has this status already. */
    async set(tenant: TenantId, status: TenantStatus, audit: AuditEntry): Promise<"set" | "unchanged" | "not_found"> {
      const result = await conditionalTransaction(table, [
        update(
          tenantKey(tenant),
          { set: { [A.status]: status, [A.updatedAt]: audit.at } },
          allOf(itemExists, differs(A.status, status), isNotDeleted),
        ),
        put(auditItem(tenant, audit)),
      ]);
      if (result.applied) return "set";
      const [row] = result.current;
      return row && !isDeletedTenant(row) ? "unchanged" : "not_found";
    },

    /**
     * Marks every key of the tenant with the status that its row has. Safe to repeat.
     * @returns false when the tenant got another status in the meantime, whose writer marks the keys
     */
    async markKeys(tenant: TenantId, status: TenantStatus): Promise<boolean> {
      const mark = { [apiKeyAttributes.suspendedTenants]: new Set([tenant]) };
      const changes = status === "suspended" ? { add: mark } : { deleteFrom: mark };
      for (let attempt = 1; attempt <= LISTINGS_MAX; attempt++) {
        const hashes = [...(await keyHashes(tenant, tenant)), ...(await keyHashes(null, tenant))];
        const result = await markLookups(tenant, status, { hashes, changes });
        if (result !== "moved") return result === "marked";
      }
      throw new Error("An active API key has no lookup row.");
    },

    /** Marks every membership of the tenant in the same way. A member who is removed at the same time needs no mark. */
    async markMembers(tenant: TenantId, status: TenantStatus): Promise<boolean> {
      const members = await queryAll<MembershipItem>(table, membershipKey(tenant, ""));
      const mark = { set: { [membershipAttributes.isSuspended]: status === "suspended" ? true : undefined } };
      let userIds = members.map((item) => toMembership(tenant, item).userId);
      while (userIds.length > 0) {
        const page = userIds.slice(0, MARKS_PER_TRANSACTION);
        const result = await conditionalTransaction(table, [
          check(tenantKey(tenant), equals(A.status, status)),
          ...page.map((userId) => update(userMembershipKey(userId, tenant), mark, itemExists)),
        ]);
        if (!result.applied && result.current[0] !== undefined) return false;
        const removedIds = result.applied ? [] : page.filter((_, index) => result.current[index + 1] !== undefined);
        const markedIds = result.applied ? page : [];
        userIds = userIds.filter((userId) => !markedIds.includes(userId) && !removedIds.includes(userId));
      }
      return true;
    },
  };

  async function markLookups(
    tenant: TenantId,
    status: TenantStatus,
    { hashes, changes }: { hashes: readonly string[]; changes: Changes },
  ): Promise<"marked" | "overtaken" | "moved"> {
    for (let start = 0; start < hashes.length; start += MARKS_PER_TRANSACTION) {
      const page = hashes.slice(start, start + MARKS_PER_TRANSACTION);
      const result = await conditionalTransaction(table, [
        check(tenantKey(tenant), equals(A.status, status)),
        ...page.map((hash) => update(apiKeyLookupKey(hash), changes, itemExists)),
      ]);
      if (result.applied) continue;
      // A request of a key moves its lookup row to another hash, and the list then names that.
      return result.current[0] === undefined ? "moved" : "overtaken";
    }
    return "marked";
  }
}
