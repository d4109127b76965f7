import { type Environment, tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { env } from "../../shared/config/names.ts";
import { clockNow, type Millis } from "../../shared/kernel/time.ts";
import { localStack, stackNotRunning } from "./local-stack.ts";

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
