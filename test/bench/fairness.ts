import { SECOND } from "../../shared/kernel/time.ts";
import { testEngine } from "../support/dynamo.ts";
import { type LoadCall, runLoad } from "../support/pipeline/load.ts";
import { type Manner, virtualReceivers, well } from "../support/pipeline/virtual-receivers.ts";
import { startPipeline } from "../support/pipeline.ts";
import { freshWorkspace } from "./scenarios.ts";

export interface Fairness {
  /** From an event's arrival to the answer of its receiver, of 99 in 100, in virtual milliseconds. */
  readonly quiet: number;
  readonly beside: number;
}

const ENDPOINTS = 20;
/** As the deployed stack has it by default. */
const INVOCATIONS = 50;
const LOAD = { events: 600, every: SECOND / 10, atOnce: INVOCATIONS, after: 30 * SECOND };

/**
 * What nineteen endpoints see of a twentieth that never answers: the same traffic twice through the real worker, in
 * virtual time, once with all of them well. Receivers take the same times in both runs, which makes it a count.
 */
export async function fairness(): Promise<Fairness> {
  const receivers = virtualReceivers();
  const pipeline = await startPipeline({ poster: receivers.poster });
  const troubled = (url: string) => url.endsWith("/0");
  async function run(manner: Manner): Promise<number> {
    const workspace = await freshWorkspace(pipeline, { endpoints: ENDPOINTS });
    const calls = await runLoad(pipeline, receivers, workspace, { ...LOAD, manner });
    const others = calls.filter(({ url }) => !troubled(url));
    if (others.length !== LOAD.events * (ENDPOINTS - 1)) throw new Error(`${others.length} calls were made.`);
    return p99(others);
  }
  try {
    return { quiet: await run(well), beside: await run((url, event) => (troubled(url) ? null : well(url, event))) };
  } finally {
    await pipeline.close();
    await (await testEngine()).close();
  }
}

function p99(calls: readonly LoadCall[]): number {
  const took = calls.map(({ cameAt, endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) - cameAt).sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? Number.NaN;
}
