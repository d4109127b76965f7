import { Worker } from "node:worker_threads";

interface Arrival {
  readonly path: string;
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A receiver in a thread of its own, whose CPU time does not count. */
export async function openBenchReceiver() {
  const worker = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const arrivals: Arrival[] = [];
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  worker.on("message", (arrival: Arrival) => arrivals.push(arrival));
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    arrivals,
    /** Resolves when the condition holds, or nothing arrived for `quietMs`. */
    async waitUntil(isComplete: () => boolean, quietMs = 20_000): Promise<void> {
      let [seen, seenAt] = [arrivals.length, Date.now()];
      while (!isComplete() && Date.now() - seenAt < quietMs) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (arrivals.length > seen) [seen, seenAt] = [arrivals.length, Date.now()];
      }
    },
    close: () => worker.terminate(),
  };
}

export type BenchReceiver = Awaited<ReturnType<typeof openBenchReceiver>>;
