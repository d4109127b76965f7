import type { AuditEntry } from "./rules/audit.ts";
import { type Caller, callerActor } from "./rules/callers.ts";

/** Who makes a change: the caller of the API, or a name of the audit trail such as `cli` or `system`. */
export type Actor =
  | { readonly caller: Caller; readonly ip: string | null }
  | { readonly actor: string; readonly ip?: string | null };

/** An actor as the audit trail names it. */
export function actorName(actor: Actor): string {
  return "caller" in actor ? callerActor(actor.caller) : actor.actor;
}

/** The audit entry of a change. The detail never contains a URL or a secret. */
export function auditEntry(actor: Actor, change: Omit<AuditEntry, "actor" | "ip">): AuditEntry {
  return { ...change, actor: actorName(actor), ip: actor.ip ?? null };
}
