import { setTimeout } from "node:timers/promises";
import { env } from "#base/config/names.ts";
import { clockNow, type Millis, SECOND } from "#base/kernel/time.ts";
import { callControlRoute } from "#cli/target/control-routes.ts";
import { type Environment, tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { localStack } from "./local-stack.ts";

export interface Deployment {
  readonly ports: ReturnType<typeof tenantPorts>;
  readonly now: Millis;
}

/** The deployment that `resolveTarget` finds, with its current time. */
export async function deployment(selection: Selection): Promise<Deployment> {
  const { environment, now } = await resolveTarget(selection);
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

/** What the arguments say of the target. */
export interface Selection {
  readonly stage?: string | undefined;
}

/**
 * The environment variables and the clock of a deployment: that of `--stage`, else that of the variables of the shell, else
 * the local stack of the data folder.
 * @throws CliError of one line when it is not found
 */
export async function resolveTarget({ stage }: Selection): Promise<Target> {
  const deployed = { now: clockNow, wait: (duration: Millis) => setTimeout(duration) };
  if (stage !== undefined) {
    // Only here, so that other commands do not load the client.
    const { stageEnvironment } = await import("./stage.ts");
    return { environment: await stageEnvironment(stage), ...deployed };
  }
  if (process.env[env.table]) return { environment: process.env, ...deployed };
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
