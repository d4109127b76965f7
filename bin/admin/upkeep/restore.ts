import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { env } from "#base/config/names.ts";
import { setting } from "#base/config/settings.ts";
import { clockNow, DAY, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { type RestoreResult, restoreTable, type StepReport } from "#features/recovery/flows/restore.ts";
import { JOURNAL_PREFIX } from "#features/recovery/journal.ts";
import { readRestorePoint, restorePorts } from "../../../functions/admin/restore-ports.ts";
import { clientSettings } from "../../../functions/admin/tenant-ports.ts";
import type { Settings } from "../../../lib/config/settings.ts";
import { toProblem } from "../adopt/inspection.ts";
import { requireTableForm } from "../adopt/table.ts";
import { type Arguments, HELP_HINT } from "../arguments.ts";
import { CliError } from "../cli-error.ts";
import { resolveTarget, type Target } from "../deployment.ts";
import { findStage, readSettings, STAGES } from "../stage.ts";
import { printJson, printLine, printProblem } from "../text/print.ts";

/** DynamoDB restores no table to an earlier time. */
const RECOVERY_DAYS_MAX = 35;
/** How many days longer than the recovery period the journal lasts. */
const JOURNAL_DAYS = 5;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;
/** A restore is to a second, which an operator may write without its fraction. */
const POINT_DIFFERENCE_MAX: Millis = SECOND;
/** The steps of a restore allow for this much between the clock of this computer and those of AWS. */
const CLOCK_DIFFERENCE_MAX: Millis = MINUTE;

/** Brings a table that was restored to an earlier time to what it must not have forgotten. Prints each step. */
export async function restoreCopiedTable(values: Arguments): Promise<undefined> {
  const { positionals, json, table } = values;
  if (positionals.length > 1) throw new CliError(`Unexpected argument: ${positionals[1]}. ${HELP_HINT}`);
  const target = await resolveTarget(values);
  const environment = table === undefined ? target.environment : { ...target.environment, [env.table]: table };
  const isPreparation = table !== undefined && table !== target.environment[env.table];
  const from = await restorePoint(environment, values, target);
  const steps: StepReport[] = [];
  const report = (step: StepReport) => {
    steps.push(step);
    if (!json) printLine(`ok  ${step.step.padEnd(NAME_CHARS)}  ${step.done}`);
    for (const problem of step.problems) printProblem(problem);
  };
  const { now, wait } = target;
  const ports = restorePorts(environment, { time: { now, wait }, isPreparation });
  await requireReadable(environment, ports);
  if (!json) printProblem(`Restoring ${setting("table", environment)} from ${iso(from)}.`);
  const result = await restoreTable(ports, { from, isPreparation, time: { now, wait }, report });
  if (result.kind === "other") {
    throw new CliError(
      `Step sends off failed: the table was restored to ${iso(result.restore.from)}. Use --from ${iso(result.restore.from)}.`,
    );
  }
  if (json) printJson({ result: result.kind, from: iso(from), steps });
  else printLine(describe(result));
}

const NAME_CHARS = "sends off".length;

function describe(result: Exclude<RestoreResult, { kind: "other" }>): string {
  if (result.kind === "prepared") {
    return "The table is prepared, and sends nothing. Deploy the stage with it, then run restore without --table.";
  }
  const endedAt = iso(result.restore.endedAt ?? result.restore.startedAt);
  if (result.kind === "ended") return `This restore ended at ${endedAt}. Nothing to do.`;
  return `Restored at ${endedAt}. For 24 hours a repeated send gets the message that was fetched.`;
}

/**
 * The time to which the table was restored: that of the copy, or `--from` for one that DynamoDB does not know as a copy.
 * @throws CliError for a time that is none, that is not the copy's, and outside of the recovery period
 */
async function restorePoint(
  environment: Target["environment"],
  { from, stage }: Arguments,
  { now }: Target,
): Promise<Millis> {
  if (from !== undefined && (!TIME.test(from) || Number.isNaN(Date.parse(from)))) {
    throw refuseStart(`--from ${from} is not a time. Write it as 2026-11-29T08:00:00Z`);
  }
  const { point: copied, answeredAt } = await readRestorePoint(environment).catch((error: Error) => {
    if (error.name !== "ResourceNotFoundException") throw error;
    throw refuseStart(`the table ${setting("table", environment)} does not exist. Check its name and the region`);
  });
  // The clock of the local stack may be advanced, which its emulators do not show.
  const clock = describeClock(clockNow(), answeredAt);
  if (clock !== null) throw refuseStart(clock);
  const named = from === undefined ? null : Date.parse(from);
  const point = copied ?? named;
  if (point === null) {
    throw refuseStart("the table is not a point-in-time copy. Use the copy, or name its time with --from");
  }
  if (named !== null && Math.abs(named - point) > POINT_DIFFERENCE_MAX) {
    throw refuseStart(`the table is a copy of ${iso(point)}, not of ${from}. Leave out --from`);
  }
  if (point > now()) throw refuseStart(`${iso(point)} is in the future. Name the time of the copy`);
  const oldest = oldestPoint(now(), stage === undefined ? null : readSettings(findStage(stage, STAGES, process.env)));
  if (point < oldest) {
    throw refuseStart(`${iso(point)} is before ${iso(oldest)}, where the journal begins. Restore to a later time`);
  }
  return point;
}

/** The earliest time of a copy whose acts the journal still has. @param settings those of the stage, if it is known */
export function oldestPoint(now: Millis, settings: Pick<Settings, "recoveryPeriodInDays"> | null): Millis {
  const days = settings === null ? RECOVERY_DAYS_MAX : settings.recoveryPeriodInDays + JOURNAL_DAYS;
  return now - Math.min(days, RECOVERY_DAYS_MAX) * DAY;
}

/** Reads what would end the restore after its first writes. @throws CliError of one line, and nothing was changed */
async function requireReadable(
  environment: Target["environment"],
  { journalFiles }: ReturnType<typeof restorePorts>,
): Promise<void> {
  const table = setting("table", environment);
  const client = new DynamoDBClient(clientSettings(environment).tableService);
  await requireTableForm(client, table).catch((error: unknown) => {
    throw refuseStart(`the table ${table}: ${withoutStop(toProblem(error).text)}`);
  });
  await journalFiles.list(JOURNAL_PREFIX, null).catch((error: unknown) => {
    const bucket = setting("journalBucket", environment);
    throw refuseStart(`the journal's bucket ${bucket} cannot be read: ${withoutStop(toProblem(error).text)}`);
  });
}

const withoutStop = (text: string) => text.replace(/\.$/, "");

/**
 * The restore stores by this computer's clock until when messages are fetched, and a send is answered with one of them.
 * @returns what is wrong with the clock; null for nothing
 */
export function describeClock(now: Millis, answeredAt: Millis): string | null {
  const difference = Math.abs(now - answeredAt);
  if (difference <= CLOCK_DIFFERENCE_MAX) return null;
  if (Number.isNaN(difference)) return "DynamoDB's answer has no time to compare the clock of this computer with";
  return `the clock of this computer shows ${iso(now)}, and that of AWS ${iso(answeredAt)}. Set it, and start again`;
}

/** Nothing was changed. */
function refuseStart(problem: string): CliError {
  return new CliError(`Step time failed: ${problem}.`);
}
