import type { AuditAction, AuditEntry } from "../../domain/access/audit.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";

/** The audit entry of a hold: who is said to have typed it, never what. */
export function holdAuditEntry(
  action: Extract<AuditAction, "hold.create" | "hold.verify">,
  { id, actorId, scope }: Pick<Hold, "id" | "actorId" | "scope">,
  { actor, ip }: Pick<AuditEntry, "actor" | "ip">,
  at: Millis,
): AuditEntry {
  return { action, resource: `hold:${id}`, actor, ip, detail: { actor_id: actorId, scope }, at };
}
