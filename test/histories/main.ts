import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { reportSeed, type SeedReport } from "./report-seed.ts";
import { historyKinds } from "./seed-history.ts";

// npm run histories -- --seeds 20000 [--from 1]: runs the histories of so many seeds, on every core, and prints the
// shortest story of each kind of violation.

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "500" },
    from: { type: "string", default: "1" },
    kind: { type: "string", default: "service" },
  },
});
const seeds = Number(values.seeds);
const from = Number(values.from);
const kind = historyKinds.find((each) => each === values.kind);
if (!kind) throw new Error(`--kind is one of: ${historyKinds.join(", ")}`);
const PROGRESS_EACH = 1_000;

if (process.send) await runSeeds();
else await runOnAllCores();

/** In a child: takes every n-th seed. */
async function runSeeds(): Promise<void> {
  const step = Number(process.env.HISTORIES_STEP);
  for (let seed = from; seed < from + seeds; seed += step) {
    const report = await reportSeed(seed, kind);
    await new Promise((sent) => process.send?.({ seed, report }, sent));
  }
  // Idle timers of the clients would keep the process for a minute.
  process.exit();
}

async function runOnAllCores(): Promise<void> {
  const cores = availableParallelism();
  const byKind = new Map<string, { first: SeedReport; seeds: number[] }>();
  let done = 0;
  const startedAt = performance.now();
  const runs = Array.from({ length: cores }, (_, core) => {
    const range = ["--seeds", String(seeds - core), "--from", String(from + core), "--kind", String(kind)];
    const child = fork(import.meta.filename, range, { env: { ...process.env, HISTORIES_STEP: String(cores) } });
    child.on("message", ({ report }: { report: SeedReport | null }) => {
      if (++done % PROGRESS_EACH === 0) console.log(`${done} histories`);
      if (!report) return;
      const known = byKind.get(report.kind);
      if (known) known.seeds.push(report.seed);
      else {
        byKind.set(report.kind, { first: report, seeds: [report.seed] });
        console.log(`\nSeed ${report.seed}\n${report.story}\n${report.history}\n`);
      }
    });
    return new Promise<number>((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
  });
  const codes = await Promise.all(runs);
  const took = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${done} histories from seed ${from} on ${cores} cores in ${took} s.`);
  for (const [kind, { seeds: found }] of byKind)
    console.log(`${found.length} × ${kind} (seeds ${found.slice(0, 8).join(", ")})`);
  if (byKind.size > 0 || codes.some((code) => code !== 0) || done < seeds) process.exitCode = 1;
}
