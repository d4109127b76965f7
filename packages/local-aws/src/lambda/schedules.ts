import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalRefusal } from "../support/local-refusal.ts";
import { DAY, HOUR, iso, MINUTE, type Millis } from "../support/time.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";
import type { FunctionDeclaration, Functions } from "./functions.ts";
import { FunctionFailed } from "./sandbox.ts";

/** A function that runs at a fixed interval. */
export interface Schedule {
  readonly id: string;
  readonly every: Millis;
  readonly functionId: string;
  /** The event of the function. Default: the standard scheduled event. */
  readonly input?: unknown;
}

export interface Schedules {
  /** Runs the schedules that are due by the stack's clock, each once and in due order. */
  runDue(): Promise<void>;
  /** Starts no further run. A running function continues. */
  close(): void;
}

/** Lambda keeps an event that found no place to run, and tries again for hours. */
const THROTTLED_FIRST_DELAY_MS = 1_000;
const THROTTLED_DELAY_MAX_MS = 60_000;
/** Longest timer: prevents overflow and notices an advanced clock. */
const TIMER_MAX_MS = 60_000;
const UNITS: Readonly<Record<string, Millis>> = { minute: MINUTE, hour: HOUR, day: DAY };

/** Reads the rules and schedules of the assembly. Throws a LocalRefusal for one that cannot run here. */
export function readSchedules(
  assembly: Assembly,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): Schedule[] {
  return listResources(assembly)
    .filter(({ resource }) => resource.Type === "AWS::Events::Rule" || resource.Type === "AWS::Scheduler::Schedule")
    .filter(({ stack, resource }) => resolver.isConditionMet(stack, resource.Condition))
    .flatMap((stackResource) => readSchedule(stackResource, resolver, functions));
}

interface Target {
  readonly Arn?: unknown;
  readonly Input?: unknown;
}

function readSchedule(
  stackResource: StackResource,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): Schedule[] {
  const { State, ScheduleExpression, Targets, Target } = stackResource.resource.Properties ?? {};
  const every = parseRate(String(ScheduleExpression));
  if (every === null) {
    throw new LocalRefusal(
      `${describeResource(stackResource)}: the local stack runs rate(…), not ${JSON.stringify(ScheduleExpression)}.`,
    );
  }
  if (State === "DISABLED") return [];
  const targets = ((Targets as Target[] | undefined) ?? [Target as Target | undefined]).filter(
    (one) => one !== undefined,
  );
  if (targets.length === 0)
    throw new LocalRefusal(`${describeResource(stackResource)} runs nothing: give it a target.`);
  return targets.map(({ Arn, Input }) => {
    const arn = resolver.text(stackResource.stack, Arn);
    const target = functions.find((one) => one.arn === arn);
    if (!target)
      throw new LocalRefusal(
        `${describeResource(stackResource)} runs ${arn}, which is not a function of the template.`,
      );
    const input =
      Input === undefined ? {} : { input: JSON.parse(resolver.text(stackResource.stack, Input)) as unknown };
    return { id: stackResource.id, every, functionId: target.stackResource.id, ...input };
  });
}

/** Parses `rate(1 minute)` or `rate(5 hours)` to milliseconds. Returns null for any other expression. */
export function parseRate(expression: string): Millis | null {
  const [, count, unit] = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const length = UNITS[unit ?? ""];
  return count && length ? Number(count) * length : null;
}

/** Starts the schedules. The first run of each is one period from now. */
export function startSchedules(
  schedules: readonly Schedule[],
  now: () => Millis,
  functions: Pick<Functions, "invoke">,
  report: (line: string) => void,
): Schedules {
  const startedAt = now();
  const rows = schedules.map((schedule) => ({ schedule, due: startedAt + schedule.every }));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const run = async (schedule: Schedule): Promise<void> => {
    const event = schedule.input ?? toScheduledEvent(schedule, now());
    for (let delay = THROTTLED_FIRST_DELAY_MS; ; delay = Math.min(2 * delay, THROTTLED_DELAY_MAX_MS)) {
      try {
        await functions.invoke(schedule.functionId, event);
        return;
      } catch (error) {
        if (closed) return;
        report(`${schedule.functionId}: ${(error as Error).message}`);
        if (!(error instanceof FunctionFailed && error.reason === "throttled")) return;
        await sleep(delay, undefined, { ref: false });
      }
    }
  };
  /** Returns the due schedules and moves them on at once, so that a timer and a clock advance never run one twice. */
  const advanceDue = (): Schedule[] => {
    const currentTime = now();
    const due = rows.filter((row) => row.due <= currentTime).sort((a, b) => a.due - b.due);
    // One run replaces all missed runs.
    for (const row of due)
      row.due += (Math.floor((currentTime - row.due) / row.schedule.every) + 1) * row.schedule.every;
    return due.map(({ schedule }) => schedule);
  };
  const scheduleTimer = (): void => {
    clearTimeout(timer);
    if (closed || rows.length === 0) return;
    const next = Math.min(...rows.map(({ due }) => due));
    timer = setTimeout(
      () => {
        for (const schedule of advanceDue()) void run(schedule);
        scheduleTimer();
      },
      Math.min(TIMER_MAX_MS, Math.max(0, next - now())),
    );
  };
  scheduleTimer();
  return {
    async runDue() {
      const due = advanceDue();
      scheduleTimer();
      for (const schedule of due) await run(schedule);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

function toScheduledEvent({ id }: Schedule, now: Millis): object {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: ACCOUNT,
    time: iso(now).replace(/\.\d{3}Z$/, "Z"),
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${id}`],
    detail: {},
  };
}
