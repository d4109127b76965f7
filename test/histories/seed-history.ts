import fc from "fast-check";
import { histories } from "./steps/histories.ts";
import type { History } from "./steps/step.ts";

/** The most parts of a history: short ones find as much in the same time, and are easier to read. */
const PARTS_MAX = 16;

/** The history that follows from a seed. */
export function seedHistory(seed: number): History {
  const [history] = fc.sample(histories(PARTS_MAX), { seed, numRuns: 1 });
  if (!history) throw new Error("A seed has one history.");
  return history;
}
