import { descendantsOf, readProcesses } from "./process-tree.ts";

const TICKS_PER_SECOND = 100;

/** The CPU time of a test run: of this process, its workers, and the engines, stacks and browsers that they started. */
export interface RunCpuTime {
  /** Reads what each worker's descendants have used: no one waits for those that are still running when it ends. */
  sample(): void;
  /** Null on a system without /proc. */
  seconds(): number | null;
}

export function runCpuTime(): RunCpuTime {
  /** The time of the descendants by worker. */
  const descendantTicks = new Map<number, number>();
  const sample = () => {
    const processes = readProcesses();
    const sum = (pids: readonly number[]) =>
      pids.reduce((ticks, pid) => ticks + (processes.get(pid)?.cpuTicks ?? 0), 0);
    const workers = [...processes].flatMap(([pid, { parent }]) => (parent === process.pid ? [pid] : []));
    for (const worker of workers) descendantTicks.set(worker, sum(descendantsOf(worker, processes)));
    return sum([process.pid, ...workers]);
  };
  return {
    sample,
    seconds() {
      const own = sample();
      if (own === 0) return null;
      return [...descendantTicks.values()].reduce((sum, ticks) => sum + ticks, own) / TICKS_PER_SECOND;
    },
  };
}
