import { actorOf, type Caller } from "../../domain/api-keys.ts";
import type { AuditAction, AuditEntry } from "../../domain/audit.ts";
import type { Millis } from "../../kernel/time.ts";

/** Who asked for a change, and from where. */
export interface AskedBy {
  readonly caller: Caller;
  readonly ip: string | null;
}

/** The audit entry of what was asked of an endpoint: never its address or a secret. */
export function entryOf(
  action: AuditAction,
  endpointId: string,
  by: AskedBy,
  detail: AuditEntry["detail"],
  now: Millis,
): AuditEntry {
  return { action, resource: `webhook:${endpointId}`, actor: actorOf(by.caller), ip: by.ip, detail, at: now };
}
