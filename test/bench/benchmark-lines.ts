import { type FunctionName, functions } from "#base/config/names.ts";
import { bundleBudgets } from "../../lib/bundles/bundle-budgets.ts";
import type { Cost, FullCost } from "../support/pipeline.ts";

/** One line of the benchmark. */
export interface BenchmarkLine {
  readonly label: string;
  readonly value: number;
  readonly target: number;
  /** True where the value may fail the run: it is counted and repeats exactly, or exceeds its target by more than noise. */
  readonly binding: boolean;
}

const UNITS = { wcu: "WCU", rcu: "RCU", sqs: "SQS requests", objects: "objects", frames: "frames" } as const;

/** One line per unit. A unit that is neither spent nor allowed has none. */
export function costLines<C extends Cost | FullCost>(label: string, value: C, target: C): BenchmarkLine[] {
  const units = { objects: 0, frames: 0, ...value };
  const targets = { objects: 0, frames: 0, ...target };
  return (Object.keys(UNITS) as (keyof FullCost)[])
    .filter((unit) => units[unit] !== 0 || targets[unit] !== 0)
    .map((unit) => ({ label: `${label}: ${UNITS[unit]}`, value: units[unit], target: targets[unit], binding: true }));
}

/** The size of each bundle beside the most that a release may have, in KB. */
export function bundleLines(bytes: Readonly<Record<FunctionName, number>>): BenchmarkLine[] {
  return functions.map((name) => ({
    label: `bundle of ${name}: KB`,
    value: bytes[name] / 1_000,
    target: bundleBudgets[name] / 1_000,
    binding: false,
  }));
}

export function isOver({ value, target }: BenchmarkLine): boolean {
  return value > target;
}

/** A plain table: label, value, target, and their ratio. */
export function formatLines(lines: readonly BenchmarkLine[]): string {
  const width = Math.max(...lines.map(({ label: what }) => what.length));
  const head = `${"".padEnd(width)} ${"value".padStart(10)} ${"target".padStart(10)} ${"ratio".padStart(7)}`;
  const rows = lines.map((line) => {
    const ratio = (line.value / line.target).toFixed(2);
    const verdict = isOver(line) ? "  over its target" : "";
    return `${line.label.padEnd(width)} ${number(line.value)} ${number(line.target)} ${ratio.padStart(7)}${verdict}`;
  });
  return [head, ...rows].join("\n");
}

function number(value: number): string {
  return String(Math.round(value * 1_000) / 1_000).padStart(10);
}
