import { type Millis, SECOND } from "#base/kernel/time.ts";
import { parseSettings } from "../../lib/config/settings.ts";
import { testEngine } from "../support/dynamodb.ts";
import { type LoadCall, runLoad } from "../support/pipeline/load.ts";
import { healthy, type ReceiverBehavior, virtualReceivers } from "../support/pipeline/virtual-receivers.ts";
import { type Pipeline, startPipeline } from "../support/pipeline.ts";
import { freshWorkspace } from "./scenarios.ts";

// The effect of an endpoint that hangs from its first event on, in its first seconds. The real worker, table and queues
// run in virtual time, twice: once with every endpoint healthy. A receiver takes the same time for the same event in both
// runs, so every figure repeats exactly.
//
// The model of Lambda's event source: an invocation starts as soon as a message is visible and fewer than the maximum
// run. It takes what is visible, at most ten messages, and ends with the slowest of them. The queue is fair: a group with
// more than a tenth of the messages in flight, and at least 30, is served after the others. Cold starts, and the time that
// Lambda needs to add pollers (5 at first, and 5 more per second), are not modeled.

/** Events per second of the tenant with the endpoint that hangs. */
export const FAIRNESS_RATES = [10, 20, 50, 100] as const;

/** p99s from an event's arrival to its receiver's answer, in virtual milliseconds. */
export interface Fairness {
  /** Of the endpoints of other tenants. */
  readonly others: Ratio;
  /** Of the same tenant's other endpoint. */
  readonly sameTenant: Ratio;
}

interface Ratio {
  readonly without: Millis;
  readonly withHanging: Millis;
}

const OTHER_TENANTS = 19;
/** More than the time after which no batch waits for the endpoint any more: its first seconds are what matters. */
const DURATION: Millis = 5 * SECOND;

export async function openFairnessBench() {
  const receivers = virtualReceivers();
  const pipeline = await startPipeline({ webhookClient: receivers.webhookClient });
  return {
    /** @param concurrency invocations for each queue. Default: the deployed stack's for events */
    measure: (rate: number, concurrency = parseSettings({}).concurrency.events): Promise<Fairness> =>
      measureFairness(pipeline, receivers, rate, concurrency),
    async close(): Promise<void> {
      await pipeline.close();
      await (await testEngine()).close();
    },
  };
}

async function measureFairness(
  pipeline: Pipeline,
  receivers: ReturnType<typeof virtualReceivers>,
  rate: number,
  concurrency: number,
): Promise<Fairness> {
  async function run(hangs: boolean) {
    const workspace = await freshWorkspace(pipeline, { endpoints: 2 });
    const [hangingId, sameTenantId] = [`${workspace.tenant}/0`, `${workspace.tenant}/1`];
    const traffic = [{ workspace, events: (DURATION / SECOND) * rate, interval: SECOND / rate }];
    for (let i = 0; i < OTHER_TENANTS; i++) {
      const other = await freshWorkspace(pipeline, { endpoints: 1 });
      traffic.push({ workspace: other, events: DURATION / SECOND, interval: SECOND });
    }
    const behavior: ReceiverBehavior = (url, event) => (hangs && url.endsWith(hangingId) ? null : healthy(url, event));
    const calls = await runLoad(pipeline, receivers, traffic, { concurrency, behavior, drainTime: 0 });
    const sameTenant = calls.filter(({ url }) => url.endsWith(sameTenantId));
    const others = calls.filter(({ url }) => !url.endsWith(hangingId) && !url.endsWith(sameTenantId));
    expectCalls(sameTenant, traffic[0]?.events ?? 0);
    expectCalls(others, OTHER_TENANTS * (DURATION / SECOND));
    return { sameTenant: p99(sameTenant), others: p99(others) };
  }
  const [without, withHanging] = [await run(false), await run(true)];
  return {
    others: { without: without.others, withHanging: withHanging.others },
    sameTenant: { without: without.sameTenant, withHanging: withHanging.sameTenant },
  };
}

function expectCalls(calls: readonly LoadCall[], count: number): void {
  if (calls.length !== count) throw new Error(`${calls.length} calls were made, and not ${count}.`);
}

function p99(calls: readonly LoadCall[]): Millis {
  const durations = calls
    .map(({ arrivedAt, endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) - arrivedAt)
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length * 0.99)] ?? Number.NaN;
}
