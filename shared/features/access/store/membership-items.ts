import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { itemDoesNotExist } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { put, type Write } from "#base/table/writes.ts";
import type { SessionMembership } from "../rules/callers.ts";
import type { Role } from "../rules/roles.ts";
import type { Membership } from "../rules/team.ts";
import { membershipAttributes as A } from "./attributes.ts";
import { MEMBERSHIP, membershipKey, userMembershipKey } from "./keys.ts";

// A membership has two rows: the user's requests read the one in the user's partition, and the tenant lists the other.

/** The user's side. */
export type UserMembershipItem = Key & { readonly [A.role]: Role; readonly [A.isSuspended]?: true };

/** The tenant's side. */
export type MembershipItem = Key & {
  readonly [A.email]: string;
  readonly [A.name]?: string;
  readonly [A.role]: Role;
  readonly [A.createdAt]: Millis;
  readonly [A.invitedBy]?: string;
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
        [A.role]: role,
        ...(isSuspended ? { [A.isSuspended]: true } : {}),
      },
      itemDoesNotExist,
    ),
    put({
      ...membershipKey(tenant, userId),
      [A.email]: email,
      [A.name]: name ?? undefined,
      [A.role]: role,
      [A.createdAt]: createdAt,
      [A.invitedBy]: invitedBy ?? undefined,
    }),
  ];
}

/** No membership where the row's key names no tenant. */
export function toSessionMembership(item: UserMembershipItem): SessionMembership[] {
  const tenant = parseTenant(item.SK.slice(MEMBERSHIP.length));
  return tenant ? [{ tenant, role: item[A.role], isSuspended: item[A.isSuspended] === true }] : [];
}

export function toMembership(tenant: TenantId, item: MembershipItem): Membership {
  return {
    tenant,
    userId: item.SK.slice(MEMBERSHIP.length),
    email: item[A.email],
    name: item[A.name] ?? null,
    role: item[A.role],
    createdAt: item[A.createdAt],
    invitedBy: item[A.invitedBy] ?? null,
  };
}
