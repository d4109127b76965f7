import { TENANT_NAME_CHARS_MAX } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { isTenantName } from "#features/access/rules/display-texts.ts";
import { parseEmailAddress } from "#features/access/rules/email-addresses.ts";
import { type NamingOutcome, nameOwner } from "#features/tenants/flows/owners.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { deployment } from "./deployment.ts";

export async function newTenant({ positionals: [, , slug], owner, ...values }: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(slug);
  const ownerEmail = parseEmailAddress(owner ?? "");
  if (ownerEmail === null) throw new CliError("Missing or invalid owner. Add --owner EMAIL.");
  const name = values.name ?? tenant;
  if (!isTenantName(name))
    throw new CliError(
      `Invalid --name. Use one line of 1 to ${TENANT_NAME_CHARS_MAX} characters, without control and format characters.`,
    );
  const { ports, now } = await deployment(values);
  const isNew = await createTenant(ports, tenant, { name, ownerEmail, author: CLI }, now);
  if (!isNew) throw new CliError(`Tenant ${tenant} already exists. Use another slug.`);
  return { id: tenant, name, owner: ownerEmail, status: "active", created_at: iso(now) };
}

const namingOutcomes: Readonly<Record<NamingOutcome, string>> = {
  invited: "invited: owner from the next sign-in on",
  already_invited: "invited before: owner from the next sign-in on",
  promoted: "member, now an owner",
  already_owner: "owner already",
};

/** Names an owner of an existing tenant. */
export async function inviteOwner({
  positionals: [, , slug, address, extra],
  ...values
}: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(slug);
  const email = parseEmailAddress(address ?? "");
  if (email === null) throw new CliError("Missing or invalid email address. Add it after the slug.");
  if (extra !== undefined) throw new CliError(`Unexpected argument: ${extra}. ${HELP_HINT}`);
  const { ports, now } = await deployment(values);
  const result = await nameOwner(ports, { tenant, email, author: CLI, now });
  if (isRefusal(result)) throw new CliError(`Tenant ${tenant} not found.`);
  return { id: tenant, owner: email, status: namingOutcomes[result.outcome], revoked_invites: String(result.revoked) };
}

export async function suspendTenant(values: Arguments): Promise<CommandOutput> {
  return changeStatus(values, "suspended");
}

export async function resumeTenant(values: Arguments): Promise<CommandOutput> {
  return changeStatus(values, "active");
}

async function changeStatus(
  { positionals: [, , slug], ...values }: Arguments,
  status: "active" | "suspended",
): Promise<CommandOutput> {
  const tenant = parseSlug(slug);
  const { ports, now } = await deployment(values);
  const result = await setTenantStatus(ports, tenant, { status, author: CLI }, now);
  if (result === "not_found") throw new CliError(`Tenant ${tenant} not found.`);
  if (result === "overtaken") throw new CliError(`Another command changed the status of tenant ${tenant}. Try again.`);
  return { id: tenant, status };
}

export function parseSlug(text: string | undefined): TenantId {
  const tenant = parseTenant(text ?? "");
  if (tenant) return tenant;
  throw new CliError(
    "Missing or invalid tenant slug. Use 3 to 40 lowercase letters, digits or dashes, starting with a letter and ending with a letter or digit.",
  );
}
