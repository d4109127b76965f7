import { type Millis, SECOND } from "#base/kernel/time.ts";
import { parseSettings } from "../../lib/config/settings.ts";
import { type LoadCall, runLoad } from "../support/pipeline/load.ts";
import { healthy, type ReceiverBehavior, virtualReceivers } from "../support/pipeline/virtual-receivers.ts";
import { type Pipeline, startPipeline } from "../support/pipeline.ts";
import { freshWorkspace } from "./scenarios.ts";

// The effect of an endpoint that hangs, or that answers after 2.9 seconds, in its first seconds. The real worker, table and
// queues run in virtual time, twice: once with every endpoint healthy. A receiver takes the same time for the same event in
// both runs, so every figure repeats exactly.
//
// The model of Lambda's event source: an invocation takes what is visible, at most ten messages, and ends with the slowest of
// them. At 3 and 10 events a second, five run at first, and five more each second while all of them run, and one that finds no
// environment of an earlier one starts cold. At higher rates they start at once. All endpoints are healthy for some seconds
// before, as in a service that runs: otherwise the cold starts of its first events would decide both p99s. The queue is fair: a
// group with more than a tenth of the messages in flight, and at least 30, is served after the others.

/** Events per second of the tenant with the endpoint that hangs. */
export const FAIRNESS_RATES = [3, 10, 20, 50, 100] as const;
/** From this rate on, invocations start at once: the events of a few seconds say little about a service that grows for minutes. */
const AT_ONCE_RATE = 20;

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
const HEALTHY_BEFORE: Millis = 5 * SECOND;
/** Source: "Using Lambda with Amazon SQS", scaling of standard queues. How long a cold start takes is an assumption. */
const STARTS = { coldStart: 400, initial: 5, perSecond: 5 } as const;

/** What the endpoint does: it never answers, or answers after so many milliseconds. */
export const FAULTS = { hangs: null, "answers after 2.9 s": { duration: 2_900, status: 200 } } as const;
export type FaultName = keyof typeof FAULTS;

/** What an event waits that finds no environment of an earlier invocation. */
export function coldStart(rate: number): Millis {
  return rate < AT_ONCE_RATE ? STARTS.coldStart : 0;
}

export async function openFairnessBench() {
  const receivers = virtualReceivers();
  const pipeline = await startPipeline({ webhookClient: receivers.webhookClient });
  return {
    /** @param concurrency invocations for each queue. Default: the deployed stack's for events */
    measure: (rate: number, fault: FaultName, concurrency = parseSettings({}).concurrency.events): Promise<Fairness> =>
      measureFairness({ pipeline, receivers, rate, fault, concurrency }),
    close: () => pipeline.close(),
  };
}

interface FairnessRun {
  readonly pipeline: Pipeline;
  readonly receivers: ReturnType<typeof virtualReceivers>;
  readonly rate: number;
  readonly fault: FaultName;
  readonly concurrency: number;
}

async function measureFairness({ pipeline, receivers, rate, fault, concurrency }: FairnessRun): Promise<Fairness> {
  const seconds = (HEALTHY_BEFORE + DURATION) / SECOND;
  async function run(isFaulty: boolean) {
    const workspace = await freshWorkspace(pipeline, { endpoints: 2 });
    const [faultyId, sameTenantId] = [`${workspace.tenant}/0`, `${workspace.tenant}/1`];
    const traffic = [{ workspace, events: seconds * rate, interval: Math.round(SECOND / rate) }];
    for (let i = 0; i < OTHER_TENANTS; i++) {
      const other = await freshWorkspace(pipeline, { endpoints: 1 });
      traffic.push({ workspace: other, events: seconds, interval: SECOND });
    }
    const first = HEALTHY_BEFORE / SECOND;
    const isFaultyEvent = (event: string) => numberOf(event) >= first * rate;
    const behavior: ReceiverBehavior = (url, event) =>
      isFaulty && url.endsWith(faultyId) && isFaultyEvent(event) ? FAULTS[fault] : healthy(url, event);
    const starts = rate < AT_ONCE_RATE ? { starts: STARTS } : {};
    const all = await runLoad(pipeline, receivers, traffic, { concurrency, behavior, drainTime: 0, ...starts });
    const isOfTenant = ({ url }: LoadCall) => url.includes(workspace.tenant);
    const calls = all.filter((call) => numberOf(call.event) >= first * (isOfTenant(call) ? rate : 1));
    const sameTenant = calls.filter(({ url }) => url.endsWith(sameTenantId));
    const others = calls.filter(({ url }) => !url.endsWith(faultyId) && !url.endsWith(sameTenantId));
    expectCalls(sameTenant, (DURATION / SECOND) * rate);
    expectCalls(others, OTHER_TENANTS * (DURATION / SECOND));
    return { sameTenant: p99(sameTenant), others: p99(others) };
  }
  const [without, withHanging] = [await run(false), await run(true)];
  return {
    others: { without: without.others, withHanging: withHanging.others },
    sameTenant: { without: without.sameTenant, withHanging: withHanging.sameTenant },
  };
}

/** `runLoad` names events "tenant 0 event 15". */
function numberOf(event: string): number {
  return Number(event.split(" ").at(-1));
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
