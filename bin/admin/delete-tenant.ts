import { iso } from "#base/kernel/time.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { type DeletionProgress, deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { deletionPorts } from "../../functions/admin/deletion-ports.ts";
import { type Arguments, type CommandOutput, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { resolveTarget } from "./deployment.ts";
import { parseSlug } from "./tenants.ts";
import { printProblem } from "./text/print.ts";

/** Deletes a tenant for good. Takes several minutes and prints its progress. */
export async function deleteTenantBySlug(values: Arguments): Promise<CommandOutput> {
  const { positionals, confirm } = values;
  const tenant = parseSlug(positionals[2]);
  if (positionals.length > 3) throw new CliError(`Unexpected argument: ${positionals[3]}. ${HELP_HINT}`);
  if (confirm !== tenant)
    throw new CliError(`The deletion of tenant ${tenant} cannot be undone. Add --confirm ${tenant}.`);
  const { environment, now, wait } = await resolveTarget(values);
  const result = await deleteTenant(deletionPorts(environment), {
    tenant,
    author: CLI,
    time: { now, wait },
    report: (progress) => printProblem(describeProgress(progress)),
  });
  if (result === null) throw new CliError(`Tenant ${tenant} not found.`);
  return {
    id: tenant,
    status: result.isNew ? "deleted" : "deleted before",
    deleted_at: iso(result.deletedAt),
    deleted_by: result.deletedBy,
    slug_taken_until: iso(result.slugFreeAt),
  };
}

function describeProgress({ pass, scanned, removed, isWaiting }: DeletionProgress): string {
  const count = `Pass ${pass}: removed ${removed} rows`;
  if (!isWaiting) return `${count}, scanned ${scanned}.`;
  return `${count}. The next pass starts in 3 minutes, when no worker that knew the tenant still runs. It is safe to stop and to run the command again.`;
}
