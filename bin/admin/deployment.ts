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

/** The deployment in the environment, else the local stack of the data folder, with its current time. */
export async function deployment(): Promise<Deployment> {
  const { environment, now } = await resolveTarget();
  return { ports: tenantPorts(environment), now: now() };
}

/** The environment variables and the clock of that deployment. */
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
 * The files that the running local stack wrote to its data folder.
 * @throws CliError when no stack runs there
 */
export function localStack(): { environment: StringMap; local: StringMap } {
  const environment = readJson(join(dataFolder(), "environment.json"));
  const local = readJson(join(dataFolder(), "local.json"));
  if (!environment || !local) throw stackNotRunning();
  return { environment, local };
}

/** Also the error for a stack that was killed: its files exist, but it does not respond. */
export function stackNotRunning(): CliError {
  const folder = dataFolder();
  return new CliError(
    `No local stack runs with the data folder ${folder}. Start it with npm run local, or set PARLEY_DATA.`,
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
