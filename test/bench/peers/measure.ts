import type { Peer } from "./peer.ts";
import { cpuSeconds, residentMegabytes } from "./processes.ts";
import type { BenchReceiver } from "./receiver.ts";

/** What a run of events measured. */
export interface Measurement {
  /** Deliveries per second of wall time. Other work on the machine lowers it. */
  readonly deliveriesPerSecond: number;
  /** CPU seconds of the system for a thousand deliveries. */
  readonly cpuPerThousand: number;
  /** Milliseconds from the start of the publication to the arrival at an endpoint. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly duplicates: number;
  readonly missing: number;
  /** Resident megabytes of the system at the end. */
  readonly megabytes: number;
}

export interface Load {
  readonly events: number;
  readonly endpoints: number;
  /** Events a second; null for as many as are accepted with 16 publications in progress. */
  readonly rate: number | null;
}

const PUBLISHERS = 16;
/** A run ends when nothing arrived for so long after its last delivery. */
const QUIET_MS = 3_000;
let runs = 0;

/** Publishes events and waits until each endpoint has each of them. */
export async function measure(peer: Peer, receiver: BenchReceiver, load: Load): Promise<Measurement> {
  const { events, endpoints, rate } = load;
  const run = `bench-${Date.now().toString(36)}${(runs++).toString(36)}`;
  const publishedAt = new Map<string, number>();
  const publish = async (number: number): Promise<void> => {
    const id = `${run}-${number}`;
    publishedAt.set(id, Date.now());
    await peer.publish(id);
  };
  const expected = events * endpoints;
  const before = receiver.arrivals.length;
  const [cpuBefore, startedAt] = [cpuSeconds(peer.pids()), Date.now()];
  await (rate === null ? publishAtOnce(events, publish) : publishAtRate(events, rate, publish));
  const first = new Map<string, number>();
  let [read, arrived, lastAt] = [before, 0, startedAt];
  const readArrivals = (): void => {
    for (const { path, id, at } of receiver.arrivals.slice(read)) {
      read++;
      const sentAt = publishedAt.get(id);
      if (sentAt === undefined) continue;
      arrived++;
      if (first.has(`${path} ${id}`)) continue;
      first.set(`${path} ${id}`, at - sentAt);
      lastAt = at;
    }
  };
  await receiver.waitUntil(() => {
    readArrivals();
    return first.size >= expected;
  });
  const cpu = cpuSeconds(peer.pids()) - cpuBefore;
  const megabytes = residentMegabytes(peer.pids());
  // Deliveries that come twice come late.
  await receiver.waitUntil(() => false, QUIET_MS);
  readArrivals();
  const latencies = [...first.values()].sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    deliveriesPerSecond: first.size / ((lastAt - startedAt) / 1_000),
    cpuPerThousand: (cpu / first.size) * 1_000,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    duplicates: arrived - first.size,
    missing: Math.max(0, expected - first.size),
    megabytes,
  };
}

async function publishAtOnce(events: number, publish: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const publisher = async (): Promise<void> => {
    while (next < events) await publish(next++);
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
}

async function publishAtRate(events: number, rate: number, publish: (number: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const publications: Promise<void>[] = [];
  for (let number = 0; number < events; number++) {
    const wait = startedAt + (number * 1_000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    publications.push(publish(number));
  }
  await Promise.all(publications);
}
