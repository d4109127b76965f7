import { KEY_LABEL_CHARS_MAX, OPERATOR_KEY_TENANTS_MAX } from "#base/kernel/limits.ts";
import { isRefusal, refusalMessage } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { listKeys, listOperatorKeys, revokeKey, revokeOperatorKey } from "#features/access/flows/key-lists.ts";
import { createKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { toKeyResponse } from "#features/access/routes/keys.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { isKeyLabel } from "#features/access/rules/display-texts.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { type Deployment, deployment } from "./deployment.ts";
import { parseSlug } from "./tenants.ts";
import { printJson, printLines } from "./text/print.ts";
import { formatTable } from "./text/text-table.ts";

export async function newKey(values: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(values.tenant);
  const settings = parseKeySettings(values);
  const { ports, now } = await deployment(values);
  await requireTenants(ports, [tenant]);
  const key = await createKey(ports, tenant, settings, now);
  if (isRefusal(key)) throw new CliError(refusalMessage(key));
  return { id: key.id, tenant, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

export async function newOperatorKey(values: Arguments): Promise<CommandOutput> {
  const tenants = [...new Set((values.tenants ?? "").split(",").map(parseSlug))];
  if (tenants.length > OPERATOR_KEY_TENANTS_MAX)
    throw new CliError(`Too many tenants. An operator key has at most ${OPERATOR_KEY_TENANTS_MAX}.`);
  const settings = parseKeySettings(values);
  const { ports, now } = await deployment(values);
  await requireTenants(ports, tenants);
  const key = await createOperatorKey(ports, tenants, settings, now);
  return { id: key.id, tenants, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

/** Prints the keys of a tenant, or with `--json` one object. Never a secret. */
export async function printKeys(values: Arguments): Promise<undefined> {
  const tenant = parseSlug(values.tenant);
  requireNoArgument(values, 2);
  const { ports, now } = await deployment(values);
  await requireTenants(ports, [tenant]);
  print(values, (await listKeys(ports, tenant, now)).map(toKeyResponse));
}

/** Prints the operator keys in the same way. */
export async function printOperatorKeys(values: Arguments): Promise<undefined> {
  requireNoArgument(values, 2);
  const { ports, now } = await deployment(values);
  const keys = await listOperatorKeys(ports, now);
  print(
    values,
    keys.map((key) => ({ ...toKeyResponse(key), tenants: key.tenants })),
  );
}

export async function revokeKeyById(values: Arguments): Promise<CommandOutput> {
  const tenant = parseSlug(values.tenant);
  const keyId = parseKeyId(values);
  const { ports, now } = await deployment(values);
  const refusal = await revokeKey(ports, { tenant, keyId, author: CLI, now });
  if (refusal) throw new CliError(`API key ${keyId} not found for tenant ${tenant}. key list prints the ids.`);
  return { id: keyId, tenant, status: "revoked" };
}

export async function revokeOperatorKeyById(values: Arguments): Promise<CommandOutput> {
  const keyId = parseKeyId(values);
  const { ports, now } = await deployment(values);
  const refusal = await revokeOperatorKey(ports, { keyId, author: CLI, now });
  if (refusal) throw new CliError(`Operator key ${keyId} not found. operator-key list prints the ids.`);
  return { id: keyId, status: "revoked" };
}

async function requireTenants(ports: Deployment["ports"], tenants: readonly TenantId[]): Promise<void> {
  for (const tenant of tenants) {
    if (!(await ports.tenants.get(tenant)))
      throw new CliError(`Tenant ${tenant} not found. Create it with tenant create.`);
  }
}

function parseKeySettings({ scope = "live", label = "", strict }: Arguments) {
  if (scope !== "live" && scope !== "test") throw new CliError("Invalid --scope. Use live or test.");
  if (!isKeyLabel(label))
    throw new CliError(
      `Invalid --label. Use one line of at most ${KEY_LABEL_CHARS_MAX} characters, without control and format characters.`,
    );
  if (strict !== undefined && strict !== "yes" && strict !== "no")
    throw new CliError("Invalid --strict. Use yes or no.");
  return { scope, label, strict: strict === undefined ? undefined : strict === "yes", author: CLI } as const;
}

function parseKeyId(values: Arguments): string {
  const [, , keyId] = values.positionals;
  if (keyId === undefined) throw new CliError("Missing id. key list and operator-key list print the ids.");
  requireNoArgument(values, 3);
  return keyId;
}

function requireNoArgument({ positionals }: Arguments, index: number): void {
  if (positionals.length > index) throw new CliError(`Unexpected argument: ${positionals[index]}. ${HELP_HINT}`);
}

function print({ json }: Arguments, keys: readonly KeyJson[]): undefined {
  if (json) printJson({ keys });
  else printLines(formatKeys(keys));
}

/** A key as `--json` prints it. */
type KeyJson = ReturnType<typeof toKeyResponse> & {
  /** Of an operator key. */
  readonly tenants?: readonly string[];
};

function formatKeys(keys: readonly KeyJson[]): string {
  if (keys.length === 0) return "No keys.";
  const hasTenants = keys.some(({ tenants }) => tenants);
  const headings = [
    "ID",
    "PREFIX",
    "SCOPE",
    "STATUS",
    "CREATED",
    "LAST USED",
    ...(hasTenants ? ["TENANTS"] : []),
    "LABEL",
  ];
  const rows = keys.map((key) => [
    key.id,
    key.prefix,
    key.scope,
    key.status,
    key.created_at,
    key.last_used_at ?? "never",
    ...(hasTenants ? [(key.tenants ?? []).join(",")] : []),
    key.label,
  ]);
  return formatTable(headings, rows);
}
