import { type FunctionName, functions } from "#base/config/names.ts";
import type { PriceName } from "../../bin/bill/bill.ts";
import type { PricedPart } from "../../bin/bill/message-price.ts";
import { bundleBudgets } from "../../lib/bundles/bundle-budgets.ts";
import type { Cost, FullCost } from "../support/pipeline.ts";

/** One line of the benchmark. */
export interface BenchmarkLine {
  readonly label: string;
  readonly value: number;
  readonly target: number;
  /** False where a value over its target does not fail the run: it is a time of the machine, or within its noise. */
  readonly binding: boolean;
}

const CENT = 0.01;

const UNITS = { wcu: "WCU", rcu: "RCU", sqs: "SQS requests", objects: "objects", frames: "frames" } as const;

/** One line per unit. A unit that is neither spent nor allowed has none. */
export function costLines<C extends Cost | FullCost>(label: string, value: C, target: C): BenchmarkLine[] {
  const units = { objects: 0, frames: 0, ...value };
  const targets = { objects: 0, frames: 0, ...target };
  return (Object.keys(UNITS) as (keyof FullCost)[])
    .filter((unit) => units[unit] !== 0 || targets[unit] !== 0)
    .map((unit) => ({ label: `${label}: ${UNITS[unit]}`, value: units[unit], target: targets[unit], binding: true }));
}

/** Dollars of a million messages, and what they are for. A part below a cent has no line. */
export function priceLines(
  label: string,
  parts: readonly PricedPart[],
  targets: readonly PricedPart[],
): BenchmarkLine[] {
  const sum = (priced: readonly PricedPart[]) => priced.reduce((total, { dollars }) => total + dollars, 0);
  const targetOf = (part: PriceName) => sum(targets.filter(({ name }) => name === part));
  return [
    { label: `${label}: dollars per million`, value: sum(parts), target: sum(targets), binding: true },
    ...parts
      .filter(({ dollars }) => dollars >= CENT)
      .map(({ name, dollars }) => ({
        label: `${label}: dollars per million, ${name}`,
        value: dollars,
        target: targetOf(name),
        binding: true,
      })),
  ];
}

/** What the bundles of the functions that a message runs may have at most, in KB, in any release. */
export const BUNDLE_LIMITS: Readonly<Partial<Record<FunctionName, number>>> = {
  Api: 550,
  Intake: 200,
  Ingest: 300,
  Deliver: 500,
};

/** The size of each bundle beside the budget of the release, in KB. A budget is no more than its limit, where it has one. */
export function bundleLines(bytes: Readonly<Record<FunctionName, number>>): BenchmarkLine[] {
  return functions.map((name) => ({
    label: `bundle of ${name}${name in BUNDLE_LIMITS ? `, which may have ${BUNDLE_LIMITS[name]}` : ""}: KB`,
    value: bytes[name] / 1_000,
    target: bundleBudgets[name] / 1_000,
    binding: true,
  }));
}

/** Sums of fractions differ by less than this. */
const ROUNDING = 1e-9;

function isOver({ value, target }: BenchmarkLine): boolean {
  return value > target + ROUNDING;
}

/** Whether the line fails the run. */
export function failsRun(line: BenchmarkLine): boolean {
  return line.binding && isOver(line);
}

/** A plain table: label, value, target, and their ratio. */
export function formatLines(lines: readonly BenchmarkLine[]): string {
  const width = Math.max(...lines.map(({ label: what }) => what.length));
  const head = `${"".padEnd(width)} ${"value".padStart(10)} ${"target".padStart(10)} ${"ratio".padStart(7)}`;
  const rows = lines.map((line) => {
    const ratio = (line.value / line.target).toFixed(2);
    const verdict = failsRun(line) ? "  over its target" : isOver(line) ? "  informational" : "";
    return `${line.label.padEnd(width)} ${number(line.value)} ${number(line.target)} ${ratio.padStart(7)}${verdict}`;
  });
  return [head, ...rows].join("\n");
}

function number(value: number): string {
  return String(Math.round(value * 1_000) / 1_000).padStart(10);
}
