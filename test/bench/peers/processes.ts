import { readFileSync } from "node:fs";
import { readProcesses } from "../../support/run/process-tree.ts";

const PAGE_BYTES = 4096;

/** CPU seconds of living processes on Linux, with those of their children that have ended. */
export function cpuSeconds(pids: readonly number[]): number {
  const processes = readProcesses();
  return pids.reduce((sum, pid) => sum + (processes.get(pid)?.cpuTicks ?? 0) / 100, 0);
}

/** Resident megabytes of living processes on Linux. */
export function residentMegabytes(pids: readonly number[]): number {
  const pages = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return pids.reduce((sum, pid) => sum + (pages(pid) * PAGE_BYTES) / 2 ** 20, 0);
}
