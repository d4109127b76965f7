import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tenantPorts } from "../functions/wiring/tenants.ts";
import { env } from "../shared/config/names.ts";
import { createKey, createOperatorKey, createTenant } from "../shared/flows/set-up-tenant.ts";
import { parseTenant, type TenantId } from "../shared/kernel/tenant.ts";
import { clockNow, iso, type Millis } from "../shared/kernel/time.ts";

const USAGE = `Usage:
  npm run admin -- tenant create SLUG --owner EMAIL [--name NAME] [--json]
  npm run admin -- key create --tenant SLUG --scope live|test [--label LABEL] [--json]
  npm run admin -- operator-key create --tenants SLUG,SLUG [--scope live|test] [--label LABEL] [--json]

Speaks to the local stack whose data folder is PARLEY_DATA (default .parley); or to a deployment, when
${env.table}, ${env.keyId} and ${env.rootSecretId} name its table, key and root secret.`;

/** A wish that cannot be granted, told in one line. */
class Unable extends Error {}

type Answer = Readonly<Record<string, string | readonly string[] | null>>;

const { values, positionals } = readArguments();

try {
  const answer = await run();
  if (values.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else for (const [name, value] of Object.entries(answer)) process.stdout.write(`${name}: ${value ?? "none"}\n`);
} catch (error) {
  if (!(error instanceof Unable)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(): Promise<Answer> {
  const [thing, verb, slug] = positionals;
  switch (`${thing} ${verb}`) {
    case "tenant create":
      return newTenant(slug);
    case "key create":
      return newKey();
    case "operator-key create":
      return newOperatorKey();
    default:
      throw new Unable(USAGE);
  }
}

async function newTenant(slug: string | undefined): Promise<Answer> {
  const tenant = slugOf(slug);
  const owner = values.owner;
  if (!owner || !/^[^\s@]+@[^\s@]+$/.test(owner)) throw new Unable("Name the owner: --owner EMAIL.");
  const { ports, now } = await deployment();
  const name = values.name ?? tenant;
  const created = await createTenant(ports, tenant, { name, ownerEmail: owner, actor: "cli" }, now);
  if (!created) throw new Unable(`There is a tenant ${tenant} already.`);
  return { id: tenant, name, owner, status: "active", created_at: iso(now) };
}

async function newKey(): Promise<Answer> {
  const tenant = slugOf(values.tenant);
  const { ports, now } = await deployment();
  await mustExist(ports, [tenant]);
  const key = await createKey(ports, tenant, { scope: scopeOf(), label: values.label ?? "", actor: "cli" }, now);
  return { id: key.id, tenant, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

async function newOperatorKey(): Promise<Answer> {
  const tenants = [...new Set((values.tenants ?? "").split(",").map(slugOf))];
  const { ports, now } = await deployment();
  await mustExist(ports, tenants);
  const key = await createOperatorKey(
    ports,
    tenants,
    { scope: scopeOf(), label: values.label ?? "", actor: "cli" },
    now,
  );
  return { id: key.id, tenants, scope: key.scope, label: key.label, prefix: key.prefix, secret: key.secret };
}

async function mustExist(ports: ReturnType<typeof tenantPorts>, tenants: readonly TenantId[]): Promise<void> {
  for (const tenant of tenants) {
    if (!(await ports.tenants.get(tenant))) throw new Unable(`There is no tenant ${tenant}: create it first.`);
  }
}

function slugOf(text: string | undefined): TenantId {
  const tenant = parseTenant(text ?? "");
  if (tenant) return tenant;
  throw new Unable(
    "Give a tenant's slug: 3 to 40 lowercase letters, digits or dashes, a letter first, a letter or digit last.",
  );
}

function scopeOf(): "live" | "test" {
  const scope = values.scope ?? "live";
  if (scope === "live" || scope === "test") return scope;
  throw new Unable("--scope is live or test.");
}

/** The deployment that the environment names, else the local stack of the data folder, with its clock. */
async function deployment(): Promise<{ ports: ReturnType<typeof tenantPorts>; now: Millis }> {
  if (process.env[env.table]) return { ports: tenantPorts(process.env), now: clockNow() };
  const folder = process.env.PARLEY_DATA || ".parley";
  const environment = readJson(join(folder, "environment.json"));
  const local = readJson(join(folder, "local.json"));
  if (!environment || !local) {
    throw new Unable(
      `No local stack runs with the data folder ${folder}: start it with npm run local, or set PARLEY_DATA.`,
    );
  }
  const clock = (await fetch(`${local.base_url}/_local/clock`).then((answer) => answer.json())) as { now: string };
  return { ports: tenantPorts(environment), now: Date.parse(clock.now) };
}

function readJson(path: string): Record<string, string> | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  } catch {
    return null;
  }
}

function readArguments() {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        owner: text,
        name: text,
        tenant: text,
        tenants: text,
        scope: text,
        label: text,
        json: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exit(1);
  }
}
