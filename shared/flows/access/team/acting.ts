import type { SessionCaller } from "../../../domain/access/callers.ts";
import { hasRole, type Role, roles } from "../../../domain/access/roles.ts";
import type { ActingMember } from "../../../stores/access/memberships.ts";

/** A person who changes a team, and the source address of the request. */
export interface Acting {
  readonly caller: SessionCaller;
  readonly ip: string | null;
}

/** The acting member of a change that at least this role may make: checked again when the change is written. */
export function actingMember({ caller }: Acting, least: Role): ActingMember {
  return { userId: caller.userId, roles: roles.filter((role) => hasRole(role, least)) };
}
