import { tenants } from "../world/people.ts";
import type { Evidence } from "./evidence.ts";

const endStatuses: Readonly<Record<string, string>> = { delivered: "d", failed: "f", blocked: "f", dlq: "q" };

/** Counters never exceed the truth. */
export function judgeCounters(evidence: Evidence): string[] {
  return counts(evidence).flatMap(({ name, counted, truth }) =>
    counted > truth ? [`the counter of ${name} is ${counted}, and the truth ${truth}`] : [],
  );
}

/** Counters are exact when nothing went wrong. */
export function judgeExactCounters(evidence: Evidence): string[] {
  if (evidence.history.steps.some(([{ do: act }]) => act === "trouble")) return [];
  return counts(evidence).flatMap(({ name, counted, truth }) =>
    counted < truth ? [`nothing went wrong, and the counter of ${name} is ${counted} of ${truth}`] : [],
  );
}

/** Each counter of each tenant, and what it counts. Nothing of a test key counts. */
function counts({ items, changes }: Evidence): { name: string; counted: number; truth: number }[] {
  const truths = new Map<string, number>();
  const messages = new Set<string>();
  for (const { before, after } of changes) {
    if (!after || after.z) continue;
    const [kind, tenant, endpointId = ""] = after.PK.split("#");
    if (kind === "CONV" && !before && after.SK.startsWith("M#")) messages.add(`${after.PK} ${after.SK}`);
    if (kind !== "D" || before?.st === after.st) continue;
    const letter = endStatuses[String(after.st)];
    if (!letter) continue;
    const name = `${tenant} ${letter}${endpointId.slice(-5)}`;
    truths.set(name, (truths.get(name) ?? 0) + 1);
  }
  for (const key of messages) {
    const name = `${key.split("#")[1]} m`;
    truths.set(name, (truths.get(name) ?? 0) + 1);
  }
  const sums = new Map<string, number>();
  for (const tenant of tenants) {
    for (const hour of items.filter(({ PK }) => PK === `S#${tenant}`)) {
      for (const [letter, value] of Object.entries(hour)) {
        if (!/^(m|[dfq].{5})$/.test(letter)) continue;
        const name = `${tenant} ${letter}`;
        sums.set(name, (sums.get(name) ?? 0) + Number(value));
      }
    }
  }
  const names = new Set([...truths.keys(), ...sums.keys()]);
  return [...names].map((name) => ({ name, counted: sums.get(name) ?? 0, truth: truths.get(name) ?? 0 }));
}
