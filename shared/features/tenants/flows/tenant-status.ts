import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Author, auditEntry } from "#features/access/rules/callers.ts";
import { endAccess } from "#features/realtime/cut-off.ts";
import { journaled } from "#features/recovery/journal.ts";
import type { TenantStatusPorts } from "../ports.ts";
import type { TenantStatus } from "../store/tenant-status.ts";

/**
 * Suspends a tenant, so that its keys and members are refused from their next request on, or resumes it. A suspension
 * closes the sockets. Safe to repeat: a run that was interrupted is completed by the next one. Webhooks, deliveries, erasures and held messages continue.
 * @returns `overtaken` when a concurrent change gave the tenant another status
 */
export async function setTenantStatus(
  ports: TenantStatusPorts,
  tenant: TenantId,
  { author, status }: { readonly author: Author; readonly status: TenantStatus },
  now: Millis,
): Promise<"completed" | "overtaken" | "not_found"> {
  const entry = { action: "tenant.update", resource: `tenant:${tenant}`, detail: { status }, at: now } as const;
  const write = async () => {
    const result = await ports.tenantStatuses.set(tenant, status, auditEntry(author, entry));
    if (result === "not_found") return result;
    const isMarked =
      (await ports.tenantStatuses.markKeys(tenant, status)) && (await ports.tenantStatuses.markMembers(tenant, status));
    return isMarked ? "completed" : "overtaken";
  };
  const act = { kind: status === "active" ? "tenant.resume" : "tenant.suspend", tenant } as const;
  const set = () => journaled(ports, { act, at: now }, write, (outcome) => outcome === "not_found");
  if (status === "active") return set();
  const everyone = { tenants: [tenant], includes: () => true };
  return endAccess(ports, everyone, set, (outcome) => outcome !== "not_found");
}
