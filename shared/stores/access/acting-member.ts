import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Role } from "../../domain/access/roles.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { membershipAttributes as A } from "../attributes.ts";
import { isOneOf } from "../expressions.ts";
import { membershipKey } from "../keys.ts";
import { check, type TransactItem } from "../writes.ts";

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
