import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Author, auditEntry } from "#features/access/rules/callers.ts";
import type { TenantPorts } from "../ports.ts";
import { ownerInvite } from "./owners.ts";

interface Settings {
  readonly author: Author;
  readonly name: string;
  /** The address of the first owner, in its normal form: it becomes a member when it signs in. */
  readonly ownerEmail: string | null;
}

/** Creates a tenant, with an invite that does not expire for its first owner. @returns false when the slug is taken */
export async function createTenant(
  ports: TenantPorts,
  tenant: TenantId,
  settings: Settings,
  now: Millis,
): Promise<boolean> {
  const { author, name, ownerEmail } = settings;
  return ports.tenants.create(
    { id: tenant, name, status: "active", ownerEmail, createdAt: now },
    auditEntry(author, { action: "tenant.create", resource: `tenant:${tenant}`, detail: {}, at: now }),
    ownerEmail === null ? null : await ownerInvite(ports, { tenant, email: ownerEmail, author, now }),
  );
}
