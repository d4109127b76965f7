import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import {
  anyOf,
  atMost,
  type Expression,
  equals,
  isAbsent,
  isOneOf,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, type Write } from "#base/table/writes.ts";
import type { Role, SessionMembership } from "../rules/callers.ts";
import type { Membership } from "../rules/team.ts";
import { membershipAttributes, tenantAttributes } from "./attributes.ts";
import { MEMBERSHIP, membershipKey, userMembershipKey } from "./items.ts";

// A membership has two rows: the user's requests read the one in the user's partition, and the tenant lists the other.

/** The user's side. */
export type UserMembershipItem = Key & {
  readonly [membershipAttributes.role]: Role;
  readonly [membershipAttributes.isSuspended]?: true;
};

/** The tenant's side. */
export type MembershipItem = Key & {
  readonly [membershipAttributes.email]: string;
  readonly [membershipAttributes.name]?: string;
  readonly [membershipAttributes.role]: Role;
  readonly [membershipAttributes.createdAt]: Millis;
  readonly [membershipAttributes.invitedBy]?: string;
};

/**
 * The two puts of a new membership, the user's side first. The transaction must check that the tenant has the status
 * that `isSuspended` says.
 */
export function newMembershipItems(membership: Membership, isSuspended: boolean): [Write, Write] {
  const { tenant, userId, email, name, role, createdAt, invitedBy } = membership;
  return [
    put(
      {
        ...userMembershipKey(userId, tenant),
        [membershipAttributes.role]: role,
        ...(isSuspended ? { [membershipAttributes.isSuspended]: true } : {}),
      },
      itemDoesNotExist,
    ),
    put({
      ...membershipKey(tenant, userId),
      [membershipAttributes.email]: email,
      [membershipAttributes.name]: name ?? undefined,
      [membershipAttributes.role]: role,
      [membershipAttributes.createdAt]: createdAt,
      [membershipAttributes.invitedBy]: invitedBy ?? undefined,
    }),
  ];
}

/** No membership where the row's key names no tenant. */
export function toSessionMembership(item: UserMembershipItem): SessionMembership[] {
  const tenant = parseTenant(item.SK.slice(MEMBERSHIP.length));
  return tenant
    ? [{ tenant, role: item[membershipAttributes.role], isSuspended: item[membershipAttributes.isSuspended] === true }]
    : [];
}

export function toMembership(tenant: TenantId, item: MembershipItem): Membership {
  return {
    tenant,
    userId: item.SK.slice(MEMBERSHIP.length),
    email: item[membershipAttributes.email],
    name: item[membershipAttributes.name] ?? null,
    role: item[membershipAttributes.role],
    createdAt: item[membershipAttributes.createdAt],
    invitedBy: item[membershipAttributes.invitedBy] ?? null,
  };
}

// Beside `active` and `suspended`, a tenant's row has two more statuses: `deleting` while the tenant is deleted, and
// `deleted`, when only the row is left, so that its slug stays taken for a time. Only `tenantDeletionStore` writes them.

/** For each transaction that makes something for a tenant. A tenant without a row is accepted. */
export const isNotDeleted: Expression = anyOf(
  isAbsent(tenantAttributes.status),
  isOneOf(tenantAttributes.status, ["active", "suspended"]),
);

/** As `isNotDeleted`, and the tenant is not suspended. */
export const isNotSuspended: Expression = anyOf(
  isAbsent(tenantAttributes.status),
  equals(tenantAttributes.status, "active"),
);

export const isSuspended: Expression = equals(tenantAttributes.status, "suspended");

/** Whether a tenant's row is that of a tenant that is being deleted, or was. */
export function isDeletedTenant(item: { readonly [tenantAttributes.status]?: unknown }): boolean {
  return item[tenantAttributes.status] === "deleting" || item[tenantAttributes.status] === "deleted";
}

/** Whether a slug is free: the time to live deletes its row hours or days late. */
export function isSlugFree(now: Millis): Expression {
  return anyOf(itemDoesNotExist, atMost(tenantAttributes.ttl, timeToLive(now)));
}
