import type { TenantId } from "#base/kernel/tenant.ts";
import { isOneOf } from "#base/table/expressions.ts";
import { check, type TransactItem } from "#base/table/writes.ts";
import type { AuditEntry } from "../rules/audit.ts";
import type { Role } from "../rules/roles.ts";
import { membershipAttributes as A } from "./attributes.ts";
import { membershipKey } from "./keys.ts";

/** The member who makes a change, and the roles that may make it. Null for the command line and for Parley itself. */
export type ActingMember = { readonly userId: string; readonly roles: readonly Role[] } | null;

/** Who makes a change: the audit row that is written with it, and the member whose role is a condition of it. */
export interface ChangeAuthor {
  readonly audit: AuditEntry;
  readonly actor: ActingMember;
}

/**
 * A condition on the acting member, so that a request that was authorized before a removal or a change of role does not
 * act after it. None where the transaction changes that member's own row: its condition is on the role.
 */
export function actorCheck(tenant: TenantId, actor: ActingMember, changedUserId?: string): TransactItem[] {
  if (!actor || actor.userId === changedUserId) return [];
  return [check(membershipKey(tenant, actor.userId), isOneOf(A.role, actor.roles))];
}
