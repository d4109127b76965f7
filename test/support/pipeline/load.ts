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
  /** How invocations of each queue start. Default: at once, and as many as may. */
  readonly starts?: InvocationStarts;
  /** How long the workers continue after the last event. */
  readonly drainTime: Millis;
}

/** How Lambda's event source of one queue starts invocations. */
export interface InvocationStarts {
  /** What an invocation takes that finds no environment of an earlier one. */
  readonly coldStart: Millis;
  /** Invocations at first, and how many more a second later, as long as messages wait. */
  readonly initial: number;
  readonly perSecond: number;
}

/** One call of a receiver, with the time of its event. */
export interface LoadCall extends VirtualCall {
  readonly arrivedAt: Millis;
}

/**
 * Publishes events one by one and lets the real deliver worker send them, in virtual time: calls to the table and the
 * queues take no time, receivers take theirs. Each event is another message of its tenant. An invocation starts as soon
 * as a message is visible and fewer than `concurrency` run, or `starts` permits, and takes up to ten messages.
 * @returns every call that was made for the events
 */
export async function runLoad(
  pipeline: Pipeline,
  receivers: ReturnType<typeof virtualReceivers>,
  traffic: readonly TenantTraffic[],
  { concurrency, behavior, drainTime, onStart, starts }: LoadOptions,
): Promise<LoadCall[]> {
  const time = virtualTime(pipeline, pipeline.awsClients);
  const eventNames = new Map<string, string>();
  const arrivals = new Map<string, Millis>();
  const feed = (source: EventSource) => createFeed(source, concurrency, starts && { ...starts, sleep: time.sleep });
  const eventFeed = feed(pipeline.sources.events);
  const { deliveries, slowDeliveries, realtime } = pipeline.sources;
  const polledFeeds = [deliveries, slowDeliveries, realtime].map(feed);
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
      for (const polled of polledFeeds) polled.poll();
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

/**
 * Feeds a queue's batches to its worker with this concurrency, on each `poll` and whenever a batch has ended.
 * @param starts how invocations start. Default: at once
 */
function createFeed(
  source: EventSource,
  concurrency: number,
  starts?: InvocationStarts & { readonly sleep: (ms: Millis) => Promise<void> },
) {
  const failures: unknown[] = [];
  let [running, polling, pollAgain] = [0, false, false];
  let limit = Math.min(concurrency, starts?.initial ?? concurrency);
  let [warm, isScaling] = [0, false];

  /** With an environment of an earlier invocation, or a new one. */
  async function begin(): Promise<void> {
    if (!starts) return;
    if (warm > 0) warm--;
    else await starts.sleep(starts.coldStart);
  }

  /** The queue has as many invocations as it may: a second later it may have more. */
  async function scale({ perSecond, sleep }: NonNullable<typeof starts>): Promise<void> {
    if (isScaling || limit >= concurrency) return;
    isScaling = true;
    await sleep(SECOND);
    isScaling = false;
    limit = Math.min(concurrency, limit + perSecond);
    void poll();
  }

  async function poll(): Promise<void> {
    pollAgain = true;
    if (polling) return;
    polling = true;
    while (pollAgain) {
      pollAgain = false;
      while (running < limit) {
        const batch = await source.next();
        if (!batch) break;
        running++;
        void begin()
          .then(() => batch.work())
          .catch((fault: unknown) => failures.push(fault))
          .finally(() => {
            running--;
            warm++;
            void poll();
          });
      }
      if (starts && running >= limit) void scale(starts);
    }
    polling = false;
  }
  return { poll: () => void poll().catch((fault: unknown) => failures.push(fault)), faults: failures };
}
