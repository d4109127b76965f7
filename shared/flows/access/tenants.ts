import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Actor, auditEntry } from "./audit-entry.ts";
import type { TenantPorts } from "./ports.ts";

/** Creates a tenant. @returns false when the slug is taken */
export function createTenant(
  ports: TenantPorts,
  tenant: TenantId,
  settings: Actor & { name: string; ownerEmail: string | null },
  now: Millis,
): Promise<boolean> {
  const { name, ownerEmail } = settings;
  return ports.tenants.create(
    { id: tenant, name, status: "active", ownerEmail, createdAt: now },
    auditEntry(settings, { action: "tenant.create", resource: `tenant:${tenant}`, detail: {}, at: now }),
  );
}
