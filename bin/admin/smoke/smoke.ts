import { env } from "#base/config/names.ts";
import { optionalSetting } from "#base/config/settings.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { PASS_INTERVAL } from "#features/erasure/rules/erasures.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { smokePorts } from "../../../functions/admin/smoke-ports.ts";
import { type Arguments, HELP_HINT } from "../arguments.ts";
import { CliError, describeError } from "../cli-error.ts";
import { resolveTarget, type Target } from "../deployment.ts";
import { printJson, printLine, printProblem } from "../text/print.ts";
import { firstSteps, type SmokeContext, type Step, tenantSteps } from "./steps.ts";

interface StepResult {
  readonly step: string;
  readonly ms: number;
}

/**
 * Takes a message through a deployment, with a temporary tenant that it deletes at the end, and prints each step with
 * its time. The deletion takes minutes, so that the result of the others is printed before it. Then it deletes the
 * tenants of runs that were stopped.
 * @throws CliError that names the step which failed, once the tenant is deleted
 */
export async function smoke(values: Arguments): Promise<undefined> {
  const { positionals, json } = values;
  if (positionals.length > 1) throw new CliError(`Unexpected argument: ${positionals[1]}. ${HELP_HINT}`);
  const target = await resolveTarget(values);
  const context = openContext(target);
  const results: StepResult[] = [];
  const run = (step: Step) =>
    runStep(step, (result) => {
      results.push(result);
      if (!json) printLine(`ok  ${result.step.padEnd(NAME_CHARS)}  ${(result.ms / SECOND).toFixed(1)} s`);
    });
  for (const step of firstSteps(context)) await run(step);
  const failure = await runTenant(context, run);
  if (failure === null && !json) printDeletionNotice(context.tenant);
  await run({ name: "deletion", run: () => deleteSmokeTenant(context, target, context.tenant) });
  for (const tenant of await context.ports.runs.listStopped(target.now())) {
    await run({ name: `deletion of ${tenant}`, run: () => deleteSmokeTenant(context, target, tenant) });
  }
  if (json) printJson({ ok: failure === null, tenant: context.tenant, steps: results });
  if (failure !== null) throw failure;
}

const NAME_CHARS = "signature".length;

function printDeletionNotice(tenant: TenantId): void {
  const minutes = PASS_INTERVAL / MINUTE;
  printLine(`Every step passed. The deletion of ${tenant} reads the table twice, ${minutes} minutes apart.`);
  printLine("You need not wait: stop it with Ctrl+C, and the next run that is not stopped completes it.");
}

function openContext({ environment, now }: Target): SmokeContext {
  const baseUrl = optionalSetting("baseUrl", environment);
  if (baseUrl === null) throw new CliError(`Missing public address. Use --stage NAME, or set ${env.baseUrl}.`);
  const tenant = parseTenant(`smoke-${newUlid(now()).toLowerCase()}`);
  if (tenant === null) throw new Error("The slug is invalid.");
  return { ports: smokePorts(environment), baseUrl: withoutEndSlashes(baseUrl), tenant, now };
}

/** @returns why a step failed; null when none did */
async function runTenant(context: SmokeContext, run: (step: Step) => Promise<void>): Promise<CliError | null> {
  const { steps, end } = tenantSteps(context);
  try {
    for (const step of steps) {
      // Before the tenant exists: a run that is killed leaves what the next one finds.
      await context.ports.runs.renew(context.tenant, context.now());
      await run(step);
    }
    return null;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    printProblem(`${error.message} The tenant ${context.tenant} is deleted now.`);
    return error;
  } finally {
    end();
  }
}

async function runStep({ name, run }: Step, report: (result: StepResult) => void): Promise<void> {
  const startedAt = performance.now();
  try {
    await run();
  } catch (error) {
    const message = describeError(error) ?? describeRefusal(error);
    if (message === null) throw error;
    throw new CliError(`Step ${name} failed: ${message}`);
  }
  report({ step: name, ms: Math.round(performance.now() - startedAt) });
}

/** A call that AWS refused; null for any other fault. */
function describeRefusal(error: unknown): string | null {
  if (!(error instanceof Error && "$metadata" in error)) return null;
  return `AWS refused a call (${error.name}). Check the permissions of your credentials with doctor.`;
}

/** Safe to repeat, and beside another run that deletes the same tenant. */
async function deleteSmokeTenant({ ports }: SmokeContext, { now, wait }: Target, tenant: TenantId): Promise<void> {
  await deleteTenant(ports.deletion, { tenant, author: CLI, time: { now, wait }, report: () => {} });
  await ports.runs.remove(tenant);
}
