import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { above, equals, itemExists } from "#base/table/expressions.ts";
import { queryAll } from "#base/table/query-all.ts";
import { put, remove, type TransactItem, update } from "#base/table/writes.ts";
import type { ChangeAuthor, Role } from "../rules/callers.ts";
import type { Membership } from "../rules/team.ts";
import { membershipAttributes as A, tenantAttributes as Tenant } from "./attributes.ts";
import { actorCheck, auditItem, membershipKey, tenantKey, userMembershipKey } from "./items.ts";
import { type MembershipItem, toMembership } from "./membership-items.ts";

/** `stale`: the member's role has changed in the meantime. `actor_changed`: the acting member has lost the roles. */
export type MembershipChange = "changed" | "stale" | "not_found" | "last_owner" | "actor_changed";

/** The change of the number of owners on the tenant's row. A tenant that has owners keeps one. */
export function ownersUpdate(tenant: TenantId, change: 1 | -1): TransactItem {
  const condition = change === 1 ? itemExists : above(Tenant.owners, 1);
  return update(tenantKey(tenant), { add: { [Tenant.owners]: change } }, condition);
}

export type Memberships = ReturnType<typeof membershipStore>;

export function membershipStore(table: Table) {
  const { client, name: TableName } = table;

  /** Writes both sides of a membership, the number of owners and the audit row, in one transaction. */
  async function change(
    { tenant, userId, role: from }: Pick<Membership, "tenant" | "userId" | "role">,
    to: Role | null,
    { audit, actor }: ChangeAuthor,
  ): Promise<MembershipChange> {
    // The condition on the role that was read makes this exact for a member who changes themselves.
    if (actor?.userId === userId && !actor.roles.includes(from)) return "actor_changed";
    const op = newUlid(audit.at);
    const [own, users] = [membershipKey(tenant, userId), userMembershipKey(userId, tenant)];
    const hasRole = equals(A.role, from);
    const ownersChange = Number(to === "owner") - Number(from === "owner");
    const items = [
      to === null ? remove(own, hasRole) : update(own, { set: { [A.role]: to, [A.op]: op } }, hasRole),
      to === null ? remove(users) : update(users, { set: { [A.role]: to } }, itemExists),
      put(auditItem(tenant, audit)),
    ];
    const owners = ownersChange === 0 ? [] : [ownersUpdate(tenant, ownersChange === 1 ? 1 : -1)];
    const actorItems = actorCheck(tenant, actor, userId);
    const result = await conditionalTransaction(table, [...items, ...owners, ...actorItems], {
      token: op,
      ...(to === null ? {} : { ownMark: { [A.op]: op } }),
    });
    if (result.applied) return "changed";
    const [member, usersSide, , ...rest] = result.current;
    if (member === null) return "not_found";
    if (member !== undefined) return "stale";
    // The deletion of a tenant removes this side before the tenant's.
    if (usersSide !== undefined) return "not_found";
    return actorItems.length > 0 && rest.at(-1) !== undefined ? "actor_changed" : "last_owner";
  }

  return {
    /** The members of a tenant, in the order in which they first signed in. Read consistently. */
    async list(tenant: TenantId): Promise<readonly Membership[]> {
      const items = await queryAll<MembershipItem>(table, membershipKey(tenant, ""));
      return items.map((item) => toMembership(tenant, item));
    },

    /** A member of a tenant. Read consistently. */
    async get(tenant: TenantId, userId: string): Promise<Membership | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: membershipKey(tenant, userId), ConsistentRead: true }),
      );
      return Item ? toMembership(tenant, Item as MembershipItem) : null;
    },

    /** The person's memberships in these tenants, in their order. Read consistently. */
    async ofUser(userId: string, tenants: readonly TenantId[]): Promise<readonly Membership[]> {
      const keys = tenants.map((tenant) => membershipKey(tenant, userId));
      const items = await batchGet<MembershipItem>(table, keys, { consistent: true });
      const itemsByKey = new Map(items.map((item) => [item.PK, item]));
      return tenants.flatMap((tenant) => {
        const item = itemsByKey.get(membershipKey(tenant, userId).PK);
        return item ? [toMembership(tenant, item)] : [];
      });
    },

    /** Stores the name of a member's user with the membership, as its tenant lists it. Nothing where it was removed. */
    async rename(tenant: TenantId, userId: string, name: string): Promise<void> {
      const set = { [A.name]: name };
      await conditionalWrite(table, update(membershipKey(tenant, userId), { set }, itemExists), { ownMark: set });
    },

    /** Gives a member another role. `last_owner`: the tenant would have none. */
    changeRole(membership: Membership, role: Role, author: ChangeAuthor): Promise<MembershipChange> {
      return change(membership, role, author);
    },

    /** Removes a member. `last_owner`: the tenant would have none. */
    remove(membership: Membership, author: ChangeAuthor): Promise<MembershipChange> {
      return change(membership, null, author);
    },
  };
}
