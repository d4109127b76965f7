import { setTimeout } from "node:timers/promises";
import { env } from "#base/config/names.ts";
import { clockNow, type Millis, SECOND } from "#base/kernel/time.ts";
import { type Environment, tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { callControlRoute } from "./local-api.ts";
import { localStack } from "./local-stack.ts";

export interface Deployment {
  readonly ports: ReturnType<typeof tenantPorts>;
  readonly now: Millis;
}

/** The deployment in the environment, else the local stack of the data folder, with its current time. */
export async function deployment(): Promise<Deployment> {
  const { environment, now } = await resolveTarget();
  return { ports: tenantPorts(environment), now: now() };
}

/** A deployment with its clock. */
export interface Target {
  readonly environment: Environment;
  readonly now: () => Millis;
  /** Resolves once this time has passed by its clock. */
  readonly wait: (duration: Millis) => Promise<void>;
}

/** How often a wait reads the clock of the local stack, which may be advanced at the same time. */
const CLOCK_POLL_INTERVAL: Millis = SECOND / 4;

/** The environment variables and the clock of that deployment. */
export async function resolveTarget(): Promise<Target> {
  if (process.env[env.table])
    return { environment: process.env, now: clockNow, wait: (duration) => setTimeout(duration) };
  const { environment, local } = localStack();
  let clockOffset = await readClockOffset(local);
  const now = () => clockNow() + clockOffset;
  const wait = async (duration: Millis) => {
    const end = now() + duration;
    for (let rest = duration; rest > 0; rest = end - now()) {
      await setTimeout(Math.min(rest, CLOCK_POLL_INTERVAL));
      clockOffset = await readClockOffset(local);
    }
  };
  return { environment, now, wait };
}

async function readClockOffset({ base_url }: { readonly base_url?: string }): Promise<Millis> {
  const response = await callControlRoute(`${base_url}/_local/clock`);
  const clock = (await response.json()) as { now: string };
  return Date.parse(clock.now) - clockNow();
}
