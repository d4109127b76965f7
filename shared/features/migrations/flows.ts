import { newUlid } from "#base/kernel/ids.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { MigrationPorts } from "./ports.ts";
import type { MigrationProgress } from "./store/progress.ts";
import type { MigrationRow, MigrationStep } from "./store/steps.ts";

/** Rows changed at once. */
const CONCURRENCY = 10;
/** How often a run stores that it still works: several times before its lease ends, with the slowest request between. */
const RENEW_INTERVAL: Millis = 15 * SECOND;

/** A step that this run worked on, with the rows that it changed, or would change. */
export interface MigratedStep extends Pick<MigrationStep, "number" | "name"> {
  readonly rows: number;
}

/**
 * - `done`: every step of this release is complete; in a dry run, `steps` are those that are not
 * - `busy`: another run has the lease; `overtaken`: it took the lease from this one, which was frozen
 */
export type MigrationResult =
  | { readonly kind: "done"; readonly steps: readonly MigratedStep[]; readonly completed: number }
  | { readonly kind: "busy"; readonly leaseUntil: Millis }
  | { readonly kind: "overtaken" };

export interface SegmentProgress {
  /** The number of the step. */
  readonly step: number;
  /** How many segments of the table it has processed, of how many. */
  readonly processed: number;
  readonly segments: number;
}

export interface MigrationOptions {
  readonly now: () => Millis;
  /** Called after each segment of the table. */
  readonly report?: (progress: SegmentProgress) => void;
}

/**
 * Runs the steps that are not complete, in order. Each row is changed by one conditional write, and the progress is stored
 * after each segment of the table: a run that is killed is continued by the next one, which repeats a segment at most. A
 * table that a later release migrated needs nothing.
 */
export async function migrate(ports: MigrationPorts, { now, report }: MigrationOptions): Promise<MigrationResult> {
  const { completed } = await ports.progress.read();
  if (!ports.steps.some(({ number }) => number > completed)) return { kind: "done", steps: [], completed };
  const run = newUlid(now());
  const start = await ports.progress.start(run, now());
  if (start.kind === "busy") return start;
  try {
    return await runSteps(ports, { run, progress: start.progress, now, ...(report ? { report } : {}) });
  } finally {
    // Also after a fault: the same command can start at once. A run that was killed keeps the lease for a minute.
    await ports.progress.end(run).catch(() => {});
  }
}

async function runSteps(
  ports: MigrationPorts,
  { run, progress, now, report }: MigrationOptions & { readonly run: string; readonly progress: MigrationProgress },
): Promise<MigrationResult> {
  const steps: MigratedStep[] = [];
  let { completed, position } = progress;
  let savedAt = now();
  const save = async (): Promise<void> => {
    if (!(await ports.progress.save(run, { completed, position }, now()))) throw new Overtaken();
    savedAt = now();
  };
  try {
    for (const step of ports.steps.filter(({ number }) => number > completed)) {
      let rows = 0;
      for (; position < ports.segments; ) {
        for await (const page of step.pages(position)) {
          await forEachConcurrent(page, CONCURRENCY, async (row: MigrationRow) => {
            if (await step.apply(row, now())) rows++;
          });
          if (now() - savedAt >= RENEW_INTERVAL) await save();
        }
        position++;
        if (position < ports.segments) await save();
        report?.({ step: step.number, processed: position, segments: ports.segments });
      }
      [completed, position] = [step.number, 0];
      await save();
      steps.push({ number: step.number, name: step.name, rows });
    }
  } catch (error) {
    if (error instanceof Overtaken) return { kind: "overtaken" };
    throw error;
  }
  return { kind: "done", steps, completed };
}

class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Counts the rows that the steps that are not complete would change now. Writes nothing, and needs no lease. */
export async function previewMigration(ports: MigrationPorts): Promise<Extract<MigrationResult, { kind: "done" }>> {
  const { completed, position } = await ports.progress.read();
  const pending = ports.steps.filter(({ number }) => number > completed);
  const steps: MigratedStep[] = [];
  for (const [index, step] of pending.entries()) {
    let rows = 0;
    for (let segment = index === 0 ? position : 0; segment < ports.segments; segment++) {
      for await (const page of step.pages(segment)) rows += page.length;
    }
    steps.push({ number: step.number, name: step.name, rows });
  }
  return { kind: "done", steps, completed };
}
