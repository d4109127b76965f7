import { iso } from "#base/kernel/time.ts";
import { type MigrationResult, migrate, previewMigration, type SegmentProgress } from "#features/migrations/flows.ts";
import { migrationPorts } from "../../../functions/admin/migration-ports.ts";
import { type Arguments, HELP_HINT } from "../arguments.ts";
import { CliError } from "../cli-error.ts";
import { resolveTarget, type Target } from "../deployment.ts";
import { printJson, printLines, printProblem } from "../text/print.ts";

const BUSY = "Another migration works on this table. Run the command again when it has ended.";

type Done = Extract<MigrationResult, { kind: "done" }>;

/** Brings the rows of the table to the form of this release. With `--dry-run` counts them and changes nothing. */
export async function migrateTable(values: Arguments): Promise<undefined> {
  const { positionals, json, "dry-run": isDryRun } = values;
  if (positionals.length > 1) throw new CliError(`Unexpected argument: ${positionals[1]}. ${HELP_HINT}`);
  const target = await resolveTarget(values);
  const ports = migrationPorts(target.environment);
  const result = isDryRun ? await previewMigration(ports) : await runMigration(ports, target);
  const total = ports.steps.length;
  if (json) printJson(toJson(result, { isDryRun, total }));
  else printLines(describe(result, { isDryRun, total }));
}

/** A run that was stopped has its lease for a minute: waits for its end once. */
async function runMigration(ports: ReturnType<typeof migrationPorts>, { now, wait }: Target): Promise<Done> {
  const options = { now, report };
  let result = await migrate(ports, options);
  if (result.kind === "busy") {
    printProblem(`Another run works, or was stopped. Waiting until ${iso(result.leaseUntil)}.`);
    await wait(Math.max(0, result.leaseUntil - now()));
    result = await migrate(ports, options);
  }
  if (result.kind !== "done") throw new CliError(BUSY);
  return result;
}

/** A line for each quarter of a step. */
function report({ step, processed, segments }: SegmentProgress): void {
  if ((processed * 4) % segments === 0) printProblem(`Step ${step}: ${(processed * 100) / segments}% of the table.`);
}

interface View {
  readonly isDryRun: boolean;
  /** The number of steps of this release. */
  readonly total: number;
}

function toJson({ steps, completed }: Done, { isDryRun, total }: View) {
  return { dry_run: isDryRun, steps, completed_step: completed, steps_of_this_release: total };
}

function describe({ steps, completed }: Done, { isDryRun, total }: View): string {
  const verb = isDryRun ? "to change" : "changed";
  const lines = steps.map(({ number, name, rows }) => `Step ${number}, ${name}: ${rows} rows ${verb}.`);
  if (completed > total) {
    return `A later release migrated this table, up to step ${completed}. This release has ${total} steps. Nothing to do.`;
  }
  if (isDryRun && lines.length > 0) return [...lines, "Nothing was changed: this was a dry run."].join("\n");
  return [...lines, `All ${total} steps are complete.`].join("\n");
}
