import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Processor time of two ways to make the same request. */
export interface CpuComparison {
  /** Microseconds of this thread's CPU per request, the median of the rounds. */
  readonly measured: number;
  readonly reference: number;
  /** Measured to reference: the quartiles of the ratios of neighboring rounds. */
  readonly ratio: { readonly low: number; readonly median: number; readonly high: number };
}

const WARMUP_ROUNDS = 6;
const ROUNDS = 60;
const REQUESTS_PER_ROUND = 500;
/** Requests in flight at once. */
export const CONCURRENCY = 10;

export type Request = () => Promise<unknown>;

/** Starts a receiver in a thread of its own and runs `work` with its port. */
export async function withReceiver<T>(work: (port: number) => Promise<T>): Promise<T> {
  const receiver = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  try {
    const [port] = (await once(receiver, "message")) as [number];
    return await work(port);
  } finally {
    await receiver.terminate();
  }
}

/** Rounds of both alternate, so that other load on the machine affects both. */
export async function compareCpu(measured: Request, reference: Request): Promise<CpuComparison> {
  const pairs: { measured: number; reference: number }[] = [];
  for (let i = 0; i < WARMUP_ROUNDS + ROUNDS; i++) {
    const first = i % 2 === 0 ? await measureRound(measured) : 0;
    const referenceTime = await measureRound(reference);
    pairs.push({ measured: first || (await measureRound(measured)), reference: referenceTime });
  }
  const counted = pairs.slice(WARMUP_ROUNDS);
  const ratios = counted.map((pair) => pair.measured / pair.reference);
  return {
    measured: quantile(
      counted.map((pair) => pair.measured),
      0.5,
    ),
    reference: quantile(
      counted.map((pair) => pair.reference),
      0.5,
    ),
    ratio: { low: quantile(ratios, 0.25), median: quantile(ratios, 0.5), high: quantile(ratios, 0.75) },
  };
}

/** Microseconds of CPU per request of one round. */
async function measureRound(request: Request): Promise<number> {
  const before = process.threadCpuUsage();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let i = 0; i < REQUESTS_PER_ROUND / CONCURRENCY; i++) await request();
    }),
  );
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / REQUESTS_PER_ROUND;
}

function quantile(values: readonly number[], fraction: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * fraction)] ?? Number.NaN;
}
