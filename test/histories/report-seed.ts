import { type HistoryKind, seedHistory } from "./seed-history.ts";
import { shrinkHistory, violationKind, violationsOf } from "./shrink-history.ts";
import { formatStory } from "./story.ts";

/** What a seed's history showed, shrunk to the shortest story. */
export interface SeedReport {
  readonly seed: number;
  readonly kind: string;
  readonly story: string;
  readonly history: string;
}

const VIOLATION_CHARS_MAX = 400;

/** Runs the history of a seed. @returns null when all is well */
export async function reportSeed(seed: number, kind: HistoryKind = "service"): Promise<SeedReport | null> {
  const history = seedHistory(seed, kind);
  const violations = await violationsOf(history);
  if (violations.length === 0) return null;
  const shortest = await shrinkHistory(history, violations);
  const [first = ""] = shortest.violations;
  const shown = shortest.violations.map((violation) => `-> ${violation.slice(0, VIOLATION_CHARS_MAX)}`);
  return {
    seed,
    kind: violationKind(first),
    story: [formatStory(shortest.history), ...shown].join("\n"),
    history: JSON.stringify(shortest.history),
  };
}
