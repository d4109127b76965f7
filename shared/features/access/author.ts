import type { AuditEntry } from "./rules/audit.ts";
import { type Caller, callerActor, hasRole, type Role, roles } from "./rules/callers.ts";
import type { ActingMember, ChangeAuthor } from "./store/items.ts";

/** The caller of a request, and its source address. The framework of the routes makes it, once per request. */
export interface CallerAuthor<C extends Caller = Caller> {
  readonly caller: C;
  /** Null without a gateway. */
  readonly ip: string | null;
}

/** Who makes a change: the caller of a request, or a name of the audit trail such as `cli` or `system`. */
export type Author = CallerAuthor | { readonly actor: string; readonly ip?: string | null };

/** What a change adds to the audit trail, without who made it. The detail never contains a URL or a secret. */
export type AuditedChange = Omit<AuditEntry, "actor" | "ip">;

/** The author as the audit trail names them. */
export function authorName(author: Author): string {
  return "caller" in author ? callerActor(author.caller) : author.actor;
}

/** The audit entry of a change. */
export function auditEntry(author: Author, change: AuditedChange): AuditEntry {
  return { ...change, actor: authorName(author), ip: author.ip ?? null };
}

/**
 * The acting member of a change that at least this role may make: checked again when the change is written. Null for a
 * key and for the command line.
 */
export function actingMember(author: Author, least: Role): ActingMember {
  if (!("caller" in author) || author.caller.kind !== "session") return null;
  return { userId: author.caller.userId, roles: roles.filter((role) => hasRole(role, least)) };
}

/** The audit row of a change that at least this role may make, and its acting member: what its write needs of the author. */
export function changeAuthor(author: Author, least: Role, change: AuditedChange): ChangeAuthor {
  return { audit: auditEntry(author, change), actor: actingMember(author, least) };
}
