import { refuseRole, refuseTenant, type SessionCaller } from "../../../domain/access/callers.ts";
import type { Role } from "../../../domain/access/roles.ts";
import type { Membership } from "../../../domain/access/team.ts";
import { type Refusal, refuse } from "../../../kernel/refusals.ts";
import { parseTenant, type TenantId } from "../../../kernel/tenant.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { StoredTenant } from "../../../stores/access/tenants.ts";
import { auditEntry } from "../audit-entry.ts";
import { type Acting, actingMember } from "./acting.ts";
import type { OwnTenantPorts } from "./ports.ts";

/** A tenant, as a member reads it. */
export type OwnTenant = StoredTenant;

/** Lists the person's tenants, also suspended ones, with their role in each, by slug. */
export async function listOwnTenants(
  ports: OwnTenantPorts,
  { memberships }: SessionCaller,
): Promise<(OwnTenant & { readonly role: Role })[]> {
  const rolesByTenant = new Map(memberships.map(({ tenant, role }) => [tenant, role]));
  const tenants = await ports.tenants.list([...rolesByTenant.keys()]);
  return tenants.flatMap((tenant) => {
    const role = rolesByTenant.get(tenant.id);
    return role ? [{ ...tenant, role }] : [];
  });
}

/** Creates a tenant with the person as its owner. Only a deployment with open sign-up lets a person do so. */
export async function createOwnTenant(
  ports: OwnTenantPorts,
  {
    id,
    name,
    acting,
    now,
  }: { readonly id: TenantId; readonly name: string; readonly acting: Acting; readonly now: Millis },
): Promise<OwnTenant | Refusal<"sign_up_closed" | "tenant_exists">> {
  if (!ports.isSignUpOpen) return refuse("sign_up_closed");
  const { userId, email } = acting.caller;
  const tenant = { id, name, status: "active", ownerEmail: null, createdAt: now } as const;
  const owner: Membership = {
    tenant: id,
    userId,
    email,
    name: null,
    role: "owner",
    createdAt: now,
    invitedBy: null,
  };
  const audit = auditEntry(acting, { action: "tenant.create", resource: `tenant:${id}`, detail: {}, at: now });
  const isNew = await ports.tenants.create(tenant, audit, { owner });
  return isNew ? { ...tenant, updatedAt: now } : refuse("tenant_exists");
}

/** A tenant of the person. A tenant of others is refused as one that does not exist. */
export async function getOwnTenant(
  ports: OwnTenantPorts,
  { slug, caller }: { readonly slug: string; readonly caller: SessionCaller },
): Promise<OwnTenant | Refusal<"tenant_not_found" | "tenant_suspended">> {
  const tenant = parseTenant(slug);
  if (!tenant) return refuse("tenant_not_found");
  return (
    refuseTenant(caller, tenant, "tenant_not_found") ?? (await ports.tenants.get(tenant)) ?? refuse("tenant_not_found")
  );
}

/** Gives a tenant another name. Owners may. Only a change leaves an audit row. */
export async function renameTenant(
  ports: OwnTenantPorts,
  {
    slug,
    name,
    acting,
    now,
  }: { readonly slug: string; readonly name: string; readonly acting: Acting; readonly now: Millis },
): Promise<OwnTenant | Refusal<"tenant_not_found" | "tenant_suspended" | "role_forbidden">> {
  const tenant = parseTenant(slug);
  if (!tenant) return refuse("tenant_not_found");
  const { caller } = acting;
  const refusal = refuseTenant(caller, tenant, "tenant_not_found") ?? refuseRole(caller, tenant, "owner");
  if (refusal) return refusal;
  const entry = {
    action: "tenant.update",
    resource: `tenant:${tenant}`,
    detail: { changed: "name" },
    at: now,
  } as const;
  const by = { audit: auditEntry(acting, entry), actor: actingMember(acting, "owner") };
  const result = await ports.tenants.rename(tenant, name, by);
  if (result === "actor_changed") return refuse("role_forbidden");
  return (await ports.tenants.get(tenant)) ?? refuse("tenant_not_found");
}
