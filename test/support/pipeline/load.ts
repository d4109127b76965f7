import { eventId } from "#base/events/events.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import type { Pipeline } from "../pipeline.ts";
import { SAMPLE_INBOX, sampleMessage } from "../stores/samples.ts";
import { type VirtualTime, virtualTime } from "../virtual-time.ts";
import type { EventSource } from "./event-source.ts";
import type { ReceiverBehavior, VirtualCall, virtualReceivers } from "./virtual-receivers.ts";
import type { Workspace } from "./workspace.ts";

/** The events of one tenant. */
export interface TenantTraffic {
  readonly workspace: Pick<Workspace, "tenant">;
  readonly events: number;
  /** The time from one event to the next. */
  readonly interval: Millis;
}

export interface LoadOptions {
  /** Gives the clock to the gateway of the sockets. With it, messages have conversations, without which none is pushed. */
  readonly onStart?: (time: VirtualTime) => void;
  /** Concurrent invocations of the deliver worker, for each of its queues, and of the push worker. */
  readonly concurrency: number;
  readonly behavior: ReceiverBehavior;
  /** How long the workers continue after the last event. */
  readonly drainTime: Millis;
}

/** One call of a receiver, with the time of its event. */
export interface LoadCall extends VirtualCall {
  readonly arrivedAt: Millis;
}

/**
 * Publishes events one by one and lets the real deliver worker send them, in virtual time: calls to the table and the
 * queues take no time, receivers take theirs. Each event is another message of its tenant. An invocation starts as soon
 * as a message is visible and fewer than `concurrency` run, and takes up to ten messages.
 * @returns every call that was made for the events
 */
export async function runLoad(
  pipeline: Pipeline,
  receivers: ReturnType<typeof virtualReceivers>,
  traffic: readonly TenantTraffic[],
  { concurrency, behavior, drainTime, onStart }: LoadOptions,
): Promise<LoadCall[]> {
  const time = virtualTime(pipeline, pipeline.awsClients);
  const eventNames = new Map<string, string>();
  const arrivals = new Map<string, Millis>();
  const eventFeed = createFeed(pipeline.sources.events, concurrency);
  const { deliveries, slowDeliveries, realtime } = pipeline.sources;
  const polledFeeds = [deliveries, slowDeliveries, realtime].map((source) => createFeed(source, concurrency));
  receivers.start(time, behavior, eventNames);
  onStart?.(time);

  async function sendEvents({ workspace, events, interval }: TenantTraffic, tenantIndex: number): Promise<void> {
    // The tenants' events do not arrive at the same instants.
    await time.sleep(Math.round((tenantIndex * interval) / traffic.length));
    for (let i = 0; i < events; i++) {
      const name = `tenant ${tenantIndex} event ${i}`;
      const message = sampleMessage(workspace.tenant, { id: name, sentAt: time.now() });
      const recorded = await pipeline.stores.messages.record(workspace.tenant, message, time.now());
      if (onStart) await pipeline.stores.conversations.advanceHead(workspace.tenant, recorded.message, SAMPLE_INBOX);
      eventNames.set(eventId(recorded.message.eventUlid), name);
      arrivals.set(name, time.now());
      await pipeline.queues.events.send(messageEvent(workspace.tenant, recorded));
      eventFeed.poll();
      await time.sleep(interval);
    }
  }
  /** Deferred messages become visible as time passes, and those of the stream are queued by the workers. */
  async function pollQueues(): Promise<void> {
    const duration = Math.max(...traffic.map(({ events, interval }) => events * interval));
    for (let passed = 0; passed < duration + drainTime; passed += SECOND) {
      for (const feed of polledFeeds) feed.poll();
      await time.sleep(SECOND);
    }
  }
  try {
    const work = Promise.all([...traffic.map(sendEvents), pollQueues()]);
    await time.run();
    await work;
  } finally {
    time.close();
  }
  const failures = [eventFeed, ...polledFeeds].flatMap(({ faults }) => faults);
  if (failures.length > 0) throw failures[0];
  return receivers.calls().flatMap((call) => {
    const arrival = arrivals.get(call.event);
    return arrival === undefined ? [] : [{ ...call, arrivedAt: arrival }];
  });
}

/** Feeds a queue's batches to its worker with this concurrency, on each `poll` and whenever a batch has ended. */
function createFeed(source: EventSource, concurrency: number) {
  const failures: unknown[] = [];
  let [running, polling, pollAgain] = [0, false, false];
  async function poll(): Promise<void> {
    pollAgain = true;
    if (polling) return;
    polling = true;
    while (pollAgain) {
      pollAgain = false;
      while (running < concurrency) {
        const batch = await source.next();
        if (!batch) break;
        running++;
        void batch
          .work()
          .catch((fault: unknown) => failures.push(fault))
          .finally(() => {
            running--;
            void poll();
          });
      }
    }
    polling = false;
  }
  return { poll: () => void poll().catch((fault: unknown) => failures.push(fault)), faults: failures };
}
