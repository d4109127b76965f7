import { actorOf, type Caller } from "../../domain/access/api-keys.ts";
import type { AuditAction, AuditEntry } from "../../domain/access/audit.ts";
import type { Millis } from "../../kernel/time.ts";

/** Who asked for a change, and from where. */
export interface AskedBy {
  readonly caller: Caller;
  readonly ip: string | null;
}

/** The same, or an operator at the command line, where no gateway stands between. */
export type Asker = AskedBy | { readonly caller: "cli"; readonly ip: null };

/** The audit entry of what was asked of an endpoint: never its address or a secret. */
export function entryOf(
  action: AuditAction,
  endpointId: string,
  by: Asker,
  detail: AuditEntry["detail"],
  now: Millis,
): AuditEntry {
  return {
    action,
    resource: `webhook:${endpointId}`,
    actor: by.caller === "cli" ? "cli" : actorOf(by.caller),
    ip: by.ip,
    detail,
    at: now,
  };
}
