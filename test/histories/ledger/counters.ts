import { TENANT } from "../world/open-world.ts";
import type { Evidence } from "./evidence.ts";

const endStatuses: Readonly<Record<string, string>> = { delivered: "d", failed: "f", blocked: "f", dlq: "q" };

/** Counters never exceed the truth, and are exact when nothing went wrong. */
export function judgeCounters({ items, changes, history }: Evidence): string[] {
  const hours = items.filter(({ PK }) => PK === `S#${TENANT}`);
  const sum = (name: string) => hours.reduce((all, hour) => all + Number(hour[name] ?? 0), 0);
  const stored = new Set(
    changes.flatMap(({ before, after }) => (!before && after?.SK.startsWith("M#") ? [`${after.PK} ${after.SK}`] : [])),
  );
  const reached = new Map<string, number>();
  for (const { before, after } of changes) {
    if (!after?.PK.startsWith("D#") || after.ty === "test.event" || before?.st === after.st) continue;
    const letter = endStatuses[String(after.st)];
    if (!letter) continue;
    const endpointId = after.PK.split("#")[2] ?? "";
    const name = `${letter}${endpointId.slice(-5)}`;
    reached.set(name, (reached.get(name) ?? 0) + 1);
  }
  const names = new Set([
    ...reached.keys(),
    ...hours.flatMap((hour) => Object.keys(hour)).filter((name) => /^[dfq].{5}$/.test(name)),
  ]);
  const pairs: [string, number, number][] = [
    ["messages", sum("m"), stored.size],
    ...[...names].map((name): [string, number, number] => [name, sum(name), reached.get(name) ?? 0]),
  ];
  const isCalm = !history.steps.some(([{ do: act }]) => act === "trouble");
  return pairs.flatMap(([name, counted, truth]) => {
    if (counted > truth) return [`the counter of ${name} is ${counted}, and the truth ${truth}`];
    return isCalm && counted < truth
      ? [`nothing went wrong, and the counter of ${name} is ${counted} of ${truth}`]
      : [];
  });
}
