import type { AuditEntry } from "../../../domain/access/audit.ts";
import type { SessionCaller } from "../../../domain/access/callers.ts";
import { hasRole, type Role, roles } from "../../../domain/access/roles.ts";
import type { ActingMember, ChangeAuthor } from "../../../stores/access/acting-member.ts";
import { type Actor, auditEntry } from "../audit-entry.ts";

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
