import { readdirSync, readFileSync } from "node:fs";

/** How long one observation lasts, and after which time it says nothing about now, in milliseconds. */
const OBSERVED_MS = 100;
const STALE_MS = 1_000;
const NS_PER_MS = 1e6;

/**
 * Returns what says how many threads of this process computed, or waited for a processor, on average in the last moments: 0
 * without a recent observation. Other programs lengthen the wait, so a busy machine counts.
 * @param readBusy what the threads computed and waited for since they began, in milliseconds, by thread
 */
export function observeDemand(readBusy: () => ReadonlyMap<string, number> = readThreads): () => number {
  let observedAt = Number.NEGATIVE_INFINITY;
  let before: ReadonlyMap<string, number> = new Map();
  let demand = 0;
  return () => {
    const now = performance.now();
    const elapsed = now - observedAt;
    if (elapsed < OBSERVED_MS) return demand;
    const busy = readBusy();
    let sum = 0;
    for (const [thread, ms] of busy) sum += ms - (before.get(thread) ?? 0);
    demand = elapsed < STALE_MS ? sum / elapsed : 0;
    before = busy;
    observedAt = now;
    return demand;
  };
}

/** Linux has both numbers of each thread. Source: "Scheduler Statistics" of the kernel's documentation. */
function readThreads(): Map<string, number> {
  const threads = new Map<string, number>();
  try {
    for (const thread of readdirSync("/proc/self/task")) {
      const [computed = 0, waited = 0] = readStatistics(thread);
      threads.set(thread, (computed + waited) / NS_PER_MS);
    }
  } catch {
    // Another system.
  }
  if (threads.size === 0) {
    const { user, system } = process.cpuUsage();
    threads.set("process", (user + system) / 1_000);
  }
  return threads;
}

/** A thread may end before it is read. */
function readStatistics(thread: string): number[] {
  try {
    return readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
  } catch {
    return [];
  }
}
