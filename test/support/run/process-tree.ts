import { readdirSync, readFileSync } from "node:fs";

export interface ProcessEntry {
  readonly parent: number;
  /** CPU time of the process and of the children that it has waited for, in hundredths of a second. */
  readonly cpuTicks: number;
}

/** The running processes by pid; empty on a system without /proc. */
export function readProcesses(): Map<number, ProcessEntry> {
  const names = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  const processes = new Map<number, ProcessEntry>();
  for (const name of names) {
    const entry = readProcess(name);
    if (entry) processes.set(Number(name), entry);
  }
  return processes;
}

/** All descendants of a process; none on a system without /proc. */
export function descendantsOf(pid: number, processes = readProcesses()): number[] {
  const children = [...processes].flatMap(([child, { parent }]) => (parent === pid ? [child] : []));
  return children.flatMap((child) => [child, ...descendantsOf(child, processes)]);
}

function readProcess(pid: string): ProcessEntry | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, field 2, may contain spaces and ends at the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // utime, stime, cutime and cstime
    const cpuTicks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), cpuTicks };
  } catch {
    return null;
  }
}
