import { newUlid } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { DAY, type Millis } from "../kernel/time.ts";
import { auditKey, timeToLive } from "./keys.ts";

const KEPT_FOR: Millis = 400 * DAY;

/** Who did what to which thing, from where. Never content, tokens or secrets. */
export interface AuditEntry {
  readonly action: "tenant.create" | "key.create" | "operator_key.create" | "account.connect" | "webhook.create";
  /** `<type>:<id>` */
  readonly resource: string;
  /** `console:<userId>`, `key:<keyId>`, `operator:<keyId>`, `cli` or `system` */
  readonly actor: string;
  readonly ip: string | null;
  readonly detail: Readonly<Record<string, string | number | boolean>>;
  readonly at: Millis;
}

/** The row of an entry, to be written in the transaction of what it tells of. */
export function auditItem(tenant: TenantId, entry: AuditEntry) {
  return {
    ...auditKey(tenant, newUlid(entry.at)),
    ac: entry.action,
    rs: entry.resource,
    by: entry.actor,
    ip: entry.ip ?? undefined,
    dt: entry.detail,
    x: timeToLive(entry.at + KEPT_FOR),
  };
}
