import { SECOND } from "../../shared/kernel/time.ts";
import { testEngine } from "../support/dynamodb.ts";
import { type LoadCall, runLoad } from "../support/pipeline/load.ts";
import { healthy, type ReceiverBehavior, virtualReceivers } from "../support/pipeline/virtual-receivers.ts";
import { startPipeline } from "../support/pipeline.ts";
import { freshWorkspace } from "./scenarios.ts";

export interface Fairness {
  /** The p99 from an event's arrival to its receiver's response, in virtual milliseconds. */
  readonly baselineP99: number;
  readonly withHangingP99: number;
}

const ENDPOINTS = 20;
/** The deployed stack's default. */
const INVOCATIONS = 50;
const LOAD = { events: 600, interval: SECOND / 10, concurrency: INVOCATIONS, drainTime: 30 * SECOND };

/**
 * The effect of one endpoint that never responds on nineteen others. The same traffic passes through the real worker
 * twice in virtual time, once with every endpoint healthy. Receivers take equal times in both runs, so the ratio is a count.
 */
export async function measureFairness(): Promise<Fairness> {
  const receivers = virtualReceivers();
  const pipeline = await startPipeline({ webhookClient: receivers.webhookClient });
  const isHanging = (url: string) => url.endsWith("/0");
  async function run(behavior: ReceiverBehavior): Promise<number> {
    const workspace = await freshWorkspace(pipeline, { endpoints: ENDPOINTS });
    const calls = await runLoad(pipeline, receivers, workspace, { ...LOAD, behavior });
    const others = calls.filter(({ url }) => !isHanging(url));
    if (others.length !== LOAD.events * (ENDPOINTS - 1)) throw new Error(`${others.length} calls were made.`);
    return p99(others);
  }
  try {
    return {
      baselineP99: await run(healthy),
      withHangingP99: await run((url, event) => (isHanging(url) ? null : healthy(url, event))),
    };
  } finally {
    await pipeline.close();
    await (await testEngine()).close();
  }
}

function p99(calls: readonly LoadCall[]): number {
  const durations = calls
    .map(({ arrivedAt: cameAt, endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) - cameAt)
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length * 0.99)] ?? Number.NaN;
}
