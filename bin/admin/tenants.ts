import { createKey, createOperatorKey, createTenant } from "../../shared/flows/access/set-up-tenant.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";
import { iso } from "../../shared/kernel/time.ts";
import type { Answer, Arguments } from "./arguments.ts";
import { type Deployment, deployment } from "./deployment.ts";
import { Unable } from "./unable.ts";

export async function newTenant({ words: [, , slug], owner, ...values }: Arguments): Promise<Answer> {
  const tenant = slugOf(slug);
  if (!owner || !/^[^\s@]+@[^\s@]+$/.test(owner)) throw new Unable("Name the owner: --owner EMAIL.");
  const { ports, now } = await deployment();
  const name = values.name ?? tenant;
  const created = await createTenant(ports, tenant, { name, ownerEmail: owner, actor: "cli" }, now);
  if (!created) throw new Unable(`There is a tenant ${tenant} already.`);
  return { id: tenant, name, owner, status: "active", created_at: iso(now) };
}

export async function newKey(values: Arguments): Promise<Answer> {
  const tenant = slugOf(values.tenant);
  const settings = settingsOf(values);
  const { ports, now } = await deployment();
  await mustExist(ports, [tenant]);
  const key = await createKey(ports, tenant, settings, now);
  return { id: key.id, tenant, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

export async function newOperatorKey(values: Arguments): Promise<Answer> {
  const tenants = [...new Set((values.tenants ?? "").split(",").map(slugOf))];
  const settings = settingsOf(values);
  const { ports, now } = await deployment();
  await mustExist(ports, tenants);
  const key = await createOperatorKey(ports, tenants, settings, now);
  return { id: key.id, tenants, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

async function mustExist(ports: Deployment["ports"], tenants: readonly TenantId[]): Promise<void> {
  for (const tenant of tenants) {
    if (!(await ports.tenants.get(tenant))) throw new Unable(`There is no tenant ${tenant}: create it first.`);
  }
}

function settingsOf({ scope = "live", label = "" }: Arguments) {
  if (scope !== "live" && scope !== "test") throw new Unable("--scope is live or test.");
  return { scope, label, actor: "cli" } as const;
}

function slugOf(text: string | undefined): TenantId {
  const tenant = parseTenant(text ?? "");
  if (tenant) return tenant;
  throw new Unable(
    "Give a tenant's slug: 3 to 40 lowercase letters, digits or dashes, a letter first, a letter or digit last.",
  );
}
