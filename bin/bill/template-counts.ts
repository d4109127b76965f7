import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backgroundQueues } from "#base/config/names.ts";
import { synthesize } from "../../lib/app.ts";
import { DEFAULT_STAGE, stackNames } from "../../lib/config/stack-names.ts";

/** What a deployment has, of which AWS bills the existence or the work without messages. */
export interface TemplateCounts {
  /** The queues that a function reads: Lambda polls them without an end. */
  readonly polledQueues: number;
  /** The queues of which a check asks: the dead letter queues, and those of background work. */
  readonly watchedQueues: number;
  /** The metrics that alarms watch. */
  readonly alarmMetrics: number;
  readonly dashboards: number;
  readonly secrets: number;
  readonly keys: number;
  /** Runs of scheduled functions in a day. */
  readonly runsOfADay: number;
  /** The runs of the sweep of due work among them. */
  readonly sweepsOfADay: number;
  /** The checks of the dead letter queues and the key among them. */
  readonly watchesOfADay: number;
  /** GB of each function, by its logical id. */
  readonly memory: Readonly<Record<string, number>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

const MINUTES_OF_A_DAY = 1_440;
const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: MINUTES_OF_A_DAY };

/** Reads both templates of a deployment with default settings and these. Bundles nothing. */
export function readTemplateCounts(context: Readonly<Record<string, string>> = {}): TemplateCounts {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bill-"));
  try {
    synthesize({ outdir, context, bundle: false });
    const { data, service } = stackNames(DEFAULT_STAGE);
    return countResources([data, service].flatMap((name) => readResources(join(outdir, `${name}.template.json`))));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function readResources(file: string): (readonly [string, Resource])[] {
  return Object.entries((JSON.parse(readFileSync(file, "utf8")) as { Resources: Record<string, Resource> }).Resources);
}

function countResources(resources: readonly (readonly [string, Resource])[]): TemplateCounts {
  const ofType = (type: string) => resources.filter(([, resource]) => resource.Type === type);
  const rules = ofType("AWS::Events::Rule").map(([, { Properties }]) => ({
    count: runsOfADay(String(Properties?.ScheduleExpression)),
    isWatch: JSON.stringify(Properties?.Targets).includes("watch"),
  }));
  const runs = rules.map(({ count }) => count);
  return {
    polledQueues: ofType("AWS::Lambda::EventSourceMapping").length,
    watchedQueues:
      backgroundQueues.length +
      ofType("AWS::SQS::Queue").filter(([, { Properties }]) => Properties?.RedrivePolicy === undefined).length,
    alarmMetrics: ofType("AWS::CloudWatch::Alarm").reduce((sum, [, { Properties }]) => sum + metricsOf(Properties), 0),
    dashboards: ofType("AWS::CloudWatch::Dashboard").length,
    secrets: ofType("AWS::SecretsManager::Secret").length,
    keys: ofType("AWS::KMS::Key").length,
    runsOfADay: runs.reduce((sum, count) => sum + count, 0),
    sweepsOfADay: runs.filter((count) => count === MINUTES_OF_A_DAY).reduce((sum, count) => sum + count, 0),
    watchesOfADay: rules.filter(({ isWatch }) => isWatch).reduce((sum, { count }) => sum + count, 0),
    memory: Object.fromEntries(
      ofType("AWS::Lambda::Function").map(([id, { Properties }]) => [id, Number(Properties?.MemorySize) / 1_024]),
    ),
  };
}

/** What AWS bills of an alarm. An expression is no metric. */
function metricsOf(alarm: Resource["Properties"]): number {
  const metrics = alarm?.Metrics as readonly { readonly MetricStat?: unknown }[] | undefined;
  return metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
}

function runsOfADay(expression: string): number {
  const [, count, unit = ""] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const minutes = MINUTES[unit];
  if (count === undefined || minutes === undefined)
    throw new Error(`The bill cannot count the schedule ${expression}.`);
  return MINUTES_OF_A_DAY / (Number(count) * minutes);
}
