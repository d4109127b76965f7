import { runHistory } from "./run-history.ts";
import type { History } from "./steps/step.ts";

/** A shorter history with the same kind of violation, and its violations. */
export async function shrinkHistory(history: History, violations: readonly string[], runsMax = 400) {
  const wanted = new Set(violations.map(violationKind));
  let best = { history, violations };
  let runs = 0;
  async function tryHistory(candidate: History): Promise<boolean> {
    if (runs++ >= runsMax) return false;
    const found = await violationsOf(candidate);
    if (!found.some((each) => wanted.has(violationKind(each)))) return false;
    best = { history: candidate, violations: found };
    return true;
  }
  for (let hasShrunk = true; hasShrunk && runs < runsMax; ) {
    hasShrunk = false;
    // First half of the steps at a time, then fewer, then single ones.
    for (let size = Math.ceil(best.history.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let at = best.history.steps.length - size; at >= 0; at -= size) {
        const steps = best.history.steps.toSpliced(at, size);
        if (await tryHistory({ ...best.history, steps })) hasShrunk = true;
      }
    }
    for (const [index, [step, ticks]] of best.history.steps.entries()) {
      if (ticks !== null && (await tryHistory(replaced(best.history, index, [step, null])))) hasShrunk = true;
    }
  }
  return best;
}

function replaced(history: History, index: number, step: History["steps"][number]): History {
  return { ...history, steps: history.steps.with(index, step) };
}

/** The violations of a history; an error of the run is one, too. */
export async function violationsOf(history: History): Promise<string[]> {
  return runHistory(history).catch((error: unknown) => [
    `the history did not end: ${error instanceof Error ? error.stack : String(error)}`,
  ]);
}

/** A violation without its ids, numbers and texts. */
export function violationKind(violation: string): string {
  return violation
    .replace(/[0-9A-HJKMNP-TV-Z]{26}/g, "…")
    .replace(/\d+/g, "#")
    .slice(0, 70);
}
