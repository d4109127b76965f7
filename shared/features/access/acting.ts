import { type Actor, auditEntry } from "./audit-entry.ts";
import type { AuditEntry } from "./rules/audit.ts";
import type { SessionCaller } from "./rules/callers.ts";
import { hasRole, type Role, roles } from "./rules/roles.ts";
import type { ActingMember, ChangeAuthor } from "./store/acting-conditions.ts";

/** A person who changes a team, and the source address of the request. */
export interface Acting {
  readonly caller: SessionCaller;
  readonly ip: string | null;
}

/**
 * The acting member of a change that at least this role may make: checked again when the change is written. Null for a
 * key and for the command line.
 */
export function actingMember(actor: Actor, least: Role): ActingMember {
  if (!("caller" in actor) || actor.caller.kind !== "session") return null;
  return { userId: actor.caller.userId, roles: roles.filter((role) => hasRole(role, least)) };
}

/** The audit row of a change that at least this role may make, and its acting member. */
export function changeAuthor(actor: Actor, least: Role, change: Omit<AuditEntry, "actor" | "ip">): ChangeAuthor {
  return { audit: auditEntry(actor, change), actor: actingMember(actor, least) };
}
