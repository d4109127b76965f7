import { type Caller, callerActor } from "../../domain/access/api-keys.ts";
import type { AuditAction, AuditEntry } from "../../domain/access/audit.ts";
import type { Millis } from "../../kernel/time.ts";

/** An actor as the audit trail names it, with its source address where a gateway saw one. */
export interface AuditActor {
  readonly actor: string;
  readonly ip?: string | null;
}

/** Who asked for a change, and from where. */
export interface ApiActor {
  readonly caller: Caller;
  readonly ip: string | null;
}

/** The same, or an operator at the command line, where no gateway stands between. */
export type Actor = ApiActor | { readonly caller: "cli"; readonly ip: null };

/** The audit entry of what was asked of an endpoint: never its address or a secret. */
export function auditEntry(
  action: AuditAction,
  endpointId: string,
  actor: Actor,
  detail: AuditEntry["detail"],
  now: Millis,
): AuditEntry {
  return {
    action,
    resource: `webhook:${endpointId}`,
    actor: actor.caller === "cli" ? "cli" : callerActor(actor.caller),
    ip: actor.ip,
    detail,
    at: now,
  };
}
