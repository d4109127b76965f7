import { newUlid } from "#base/kernel/ids.ts";
import { AUDIT_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { timeToLive } from "#base/table/keys.ts";
import type { AuditEntry } from "../rules/audit.ts";
import { auditAttributes as A } from "./attributes.ts";
import { auditKey } from "./keys.ts";

/** The row of an entry, to be written in the transaction of the action it records. */
export function auditItem(tenant: TenantId, entry: AuditEntry) {
  return {
    ...auditKey(tenant, newUlid(entry.at)),
    [A.action]: entry.action,
    [A.resource]: entry.resource,
    [A.actor]: entry.actor,
    [A.ip]: entry.ip ?? undefined,
    [A.detail]: entry.detail,
    [A.ttl]: timeToLive(entry.at + AUDIT_RETENTION),
  };
}
