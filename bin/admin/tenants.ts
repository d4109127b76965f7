import { OPERATOR_KEY_TENANTS_MAX } from "../../shared/domain/limits.ts";
import { createKey, createOperatorKey } from "../../shared/flows/access/keys.ts";
import { setTenantStatus } from "../../shared/flows/access/tenant-status.ts";
import { createTenant } from "../../shared/flows/access/tenants.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";
import { iso } from "../../shared/kernel/time.ts";
import type { Arguments, CommandOutput } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { type Deployment, deployment } from "./deployment.ts";

export async function newTenant({ positionals: [, , slug], owner, ...values }: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(slug);
  if (!owner || !/^[^\s@]+@[^\s@]+$/.test(owner)) throw new CliError("Missing or invalid owner. Add --owner EMAIL.");
  const { ports, now } = await deployment();
  const name = values.name ?? tenant;
  const isNew = await createTenant(ports, tenant, { name, ownerEmail: owner, actor: "cli" }, now);
  if (!isNew) throw new CliError(`Tenant ${tenant} already exists. Use another slug.`);
  return { id: tenant, name, owner, status: "active", created_at: iso(now) };
}

export async function suspendTenant(values: Arguments): Promise<CommandOutput> {
  return changeStatus(values, "suspended");
}

export async function resumeTenant(values: Arguments): Promise<CommandOutput> {
  return changeStatus(values, "active");
}

async function changeStatus(
  { positionals: [, , slug] }: Arguments,
  status: "active" | "suspended",
): Promise<CommandOutput> {
  const tenant = parseSlug(slug);
  const { ports, now } = await deployment();
  const result = await setTenantStatus(ports, tenant, { status, actor: "cli" }, now);
  if (result === "not_found") throw new CliError(`Tenant ${tenant} not found.`);
  if (result === "overtaken") throw new CliError(`Another command changed the status of tenant ${tenant}. Try again.`);
  return { id: tenant, status };
}

export async function newKey(values: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(values.tenant);
  const settings = parseKeySettings(values);
  const { ports, now } = await deployment();
  await requireTenants(ports, [tenant]);
  const key = await createKey(ports, tenant, settings, now);
  return { id: key.id, tenant, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

export async function newOperatorKey(values: Arguments): Promise<CommandOutput> {
  const tenants = [...new Set((values.tenants ?? "").split(",").map(parseSlug))];
  if (tenants.length > OPERATOR_KEY_TENANTS_MAX)
    throw new CliError(`Too many tenants. An operator key has at most ${OPERATOR_KEY_TENANTS_MAX}.`);
  const settings = parseKeySettings(values);
  const { ports, now } = await deployment();
  await requireTenants(ports, tenants);
  const key = await createOperatorKey(ports, tenants, settings, now);
  return { id: key.id, tenants, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

async function requireTenants(ports: Deployment["ports"], tenants: readonly TenantId[]): Promise<void> {
  for (const tenant of tenants) {
    if (!(await ports.tenants.get(tenant)))
      throw new CliError(`Tenant ${tenant} not found. Create it with tenant create.`);
  }
}

function parseKeySettings({ scope = "live", label = "" }: Arguments) {
  if (scope !== "live" && scope !== "test") throw new CliError("Invalid --scope. Use live or test.");
  return { scope, label, actor: "cli" } as const;
}

function parseSlug(text: string | undefined): TenantId {
  const tenant = parseTenant(text ?? "");
  if (tenant) return tenant;
  throw new CliError(
    "Missing or invalid tenant slug. Use 3 to 40 lowercase letters, digits or dashes, starting with a letter and ending with a letter or digit.",
  );
}
