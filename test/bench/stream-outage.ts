import type { Connections } from "#base/aws/realtime.ts";
import { POST_ATTEMPTS_MAX, requestTimeouts } from "#base/config/request-times.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { deliveryPages } from "#features/delivery/store/delivery-pages.ts";
import { parseSettings } from "../../lib/config/settings.ts";
import { openSocket } from "../features/realtime/flows/push/support/open-socket.ts";
import { type LoadCall, runLoad } from "../support/pipeline/load.ts";
import { healthy, virtualReceivers } from "../support/pipeline/virtual-receivers.ts";
import { startPipeline } from "../support/pipeline.ts";
import type { VirtualTime } from "../support/virtual-time.ts";
import { openWorldTable } from "../support/world/world-table.ts";
import { freshWorkspace } from "./scenarios.ts";

// The effect of a management API that never answers on the endpoints of tenants with sockets. The real workers, table and
// queues run in virtual time, twice: once with a gateway that answers. As in the benchmark of fairness, a receiver takes
// the same time for the same event in both runs, so every figure repeats exactly.

/** What a run did. */
export interface StreamRun {
  readonly startedAt: Millis;
  /** Every POST to an endpoint. */
  readonly calls: readonly LoadCall[];
  /** The deliveries of each endpoint, newest first. */
  readonly settled: readonly SettledDelivery[];
  readonly postsSent: number;
  readonly postsFailed: number;
}

interface SettledDelivery {
  readonly name: string;
  readonly status: string;
  readonly attempt: number;
  /** When it was settled, since the start of the run. */
  readonly after: Millis;
}

interface StreamLoad {
  readonly tenants: number;
  readonly sockets: number;
  readonly endpoints: number;
  /** Of each tenant. One comes each 200 ms. */
  readonly events: number;
}

export const STREAM_LOAD: StreamLoad = { tenants: 10, sockets: 3, endpoints: 2, events: 40 };

const INTERVAL: Millis = SECOND / 5;
const POST_DURATION: Millis = 20;
/** The SDK stops after its attempts. */
const POST_TIMEOUT: Millis = requestTimeouts.connections * POST_ATTEMPTS_MAX;
const DRAIN_TIME: Millis = 10 * SECOND;

export async function openStreamOutageBench() {
  const receivers = virtualReceivers();
  const gateway = virtualGateway();
  const { webhookClient } = receivers;
  const pipeline = await startPipeline({
    webhookClient,
    connections: gateway.connections,
    startTable: openWorldTable,
    isMetered: false,
  });

  async function run(isDead: boolean, load: StreamLoad): Promise<StreamRun> {
    const workspaces = [];
    for (let i = 0; i < load.tenants; i++) {
      const workspace = await freshWorkspace(pipeline, { endpoints: load.endpoints });
      workspaces.push(workspace);
      for (let j = 0; j < load.sockets; j++) {
        const { connectionId } = await openSocket(pipeline.table, workspace.tenant, { now: pipeline.now() });
        await pipeline.stores.sockets.markGreeted(workspace.tenant, connectionId, pipeline.now());
      }
    }
    const startedAt = pipeline.now();
    const traffic = workspaces.map((workspace) => ({ workspace, events: load.events, interval: INTERVAL }));
    const calls = await runLoad(pipeline, receivers, traffic, {
      concurrency: parseSettings({}).concurrency.events,
      behavior: healthy,
      drainTime: DRAIN_TIME,
      onStart: (time) => gateway.start(time, isDead),
    });
    const pages = deliveryPages(pipeline.table);
    const settled: SettledDelivery[] = [];
    for (const [index, { tenant, endpointIds }] of workspaces.entries()) {
      for (const [endpoint, endpointId] of endpointIds.entries()) {
        const query = { endpointId, limit: load.events, before: null, now: pipeline.now() };
        const { rows } = await pages.list(tenant, query);
        for (const { status, attempt, updatedAt } of rows) {
          settled.push({ name: `tenant ${index} endpoint ${endpoint}`, status, attempt, after: updatedAt - startedAt });
        }
      }
    }
    return { calls, startedAt, settled, ...gateway.counts() };
  }
  return {
    /** Runs the same load with a gateway that answers and with one that does not. */
    async measure(load: StreamLoad = STREAM_LOAD) {
      return { answering: await run(false, load), dead: await run(true, load) };
    },
    close: () => pipeline.close(),
  };
}

/** p99s from an event's arrival to its receiver's answer, in virtual milliseconds. */
export async function measureStreamOutage(): Promise<{ readonly answering: Millis; readonly dead: Millis }> {
  const bench = await openStreamOutageBench();
  try {
    const { answering, dead } = await bench.measure();
    return { answering: p99(answering.calls), dead: p99(dead.calls) };
  } finally {
    await bench.close();
  }
}

/** A gateway that takes its time for a post, or never answers. */
function virtualGateway() {
  let time: Pick<VirtualTime, "sleep"> | null = null;
  let isDead = false;
  let counts = { postsSent: 0, postsFailed: 0 };
  const connections: Connections = {
    async post() {
      if (!time) throw new Error("The gateway answers once it has a time.");
      await time.sleep(isDead ? POST_TIMEOUT : POST_DURATION);
      if (isDead) counts.postsFailed += 1;
      else counts.postsSent += 1;
      if (isDead) throw new Error("The management API does not answer.");
      return "sent";
    },
    close: async () => "closed",
  };
  return {
    connections,
    start(clock: Pick<VirtualTime, "sleep">, dead: boolean): void {
      [time, isDead, counts] = [clock, dead, { postsSent: 0, postsFailed: 0 }];
    },
    counts: () => counts,
  };
}

function p99(calls: readonly LoadCall[]): Millis {
  const { tenants, endpoints, events } = STREAM_LOAD;
  const count = tenants * endpoints * events;
  if (calls.length !== count) throw new Error(`${calls.length} calls were made, and not ${count}.`);
  const durations = calls
    .map(({ arrivedAt, endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) - arrivedAt)
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length * 0.99)] ?? Number.NaN;
}
