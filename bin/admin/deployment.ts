import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { env } from "../../shared/config/names.ts";
import { clockNow, type Millis } from "../../shared/kernel/time.ts";
import { CliError } from "./cli-error.ts";

type StringMap = Readonly<Record<string, string>>;

export interface Deployment {
  readonly ports: ReturnType<typeof tenantPorts>;
  readonly now: Millis;
}

/** The deployment that the environment names, else the local stack of the data folder, with its clock. */
export async function deployment(): Promise<Deployment> {
  const { environment, now } = await resolveTarget();
  return { ports: tenantPorts(environment), now: now() };
}

/** What describes that deployment, and its clock. */
export async function resolveTarget(): Promise<{ environment: Environment; now: () => Millis }> {
  if (process.env[env.table]) return { environment: process.env, now: clockNow };
  const { environment, local } = localStack();
  const response = await fetch(`${local.base_url}/_local/clock`).catch(() => {
    throw stackNotRunning();
  });
  const clock = (await response.json()) as { now: string };
  const clockOffset = Date.parse(clock.now) - clockNow();
  return { environment, now: () => clockNow() + clockOffset };
}

/**
 * What the running local stack wrote into its data folder.
 * @throws Unable when none runs there
 */
export function localStack(): { environment: StringMap; local: StringMap } {
  const environment = readJson(join(dataFolder(), "environment.json"));
  const local = readJson(join(dataFolder(), "local.json"));
  if (!environment || !local) throw stackNotRunning();
  return { environment, local };
}

/** Said also when the stack was killed: its files are still there then, but nobody answers. */
export function stackNotRunning(): CliError {
  const folder = dataFolder();
  return new CliError(
    `No local stack runs with the data folder ${folder}: start it with npm run local, or set PARLEY_DATA.`,
  );
}

function dataFolder(): string {
  return process.env.PARLEY_DATA || ".parley";
}

function readJson(path: string): StringMap | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as StringMap;
  } catch {
    return null;
  }
}
