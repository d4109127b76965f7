import { eventId } from "../../../shared/domain/events/events.ts";
import { announcementOf } from "../../../shared/flows/inbox/message-event.ts";
import { type Millis, SECOND } from "../../../shared/kernel/time.ts";
import { messageOf } from "../../shared/stores/support/samples.ts";
import type { Pipeline } from "../pipeline.ts";
import { virtualTime } from "../virtual-time.ts";
import type { EventSource } from "./event-source.ts";
import type { Manner, VirtualCall, virtualReceivers } from "./virtual-receivers.ts";
import type { Workspace } from "./workspace.ts";

export interface Load {
  readonly events: number;
  /** From one event to the next. */
  readonly every: Millis;
  /** Invocations of the deliver worker side by side, for each of its queues. */
  readonly atOnce: number;
  readonly manner: Manner;
  /** How long the workers go on after the last event. */
  readonly after: Millis;
}

/** One call of a receiver, beside the instant its event came. */
export interface LoadCall extends VirtualCall {
  readonly cameAt: Millis;
}

/**
 * Lets events come one by one and the real deliver worker announce them, in virtual time: calls of the table and the
 * queues take none, receivers take theirs. Each event is another message of one workspace.
 * @returns every call that was made for them
 */
export async function runLoad(
  pipeline: Pipeline,
  receivers: ReturnType<typeof virtualReceivers>,
  workspace: Workspace,
  { events, every, atOnce, manner, after }: Load,
): Promise<LoadCall[]> {
  const time = virtualTime(pipeline, pipeline.awsClients);
  const names = new Map<string, string>();
  const cameAt = new Map<string, Millis>();
  const fast = feed(pipeline.sources.events, atOnce);
  const later = feed(pipeline.sources.deliveries, atOnce);
  receivers.begin(time, manner, names);

  async function come(): Promise<void> {
    for (let i = 0; i < events; i++) {
      const name = `event ${i}`;
      const message = messageOf(workspace.tenant, { id: name, sentAt: time.now() });
      const kept = await pipeline.stores.messages.record(workspace.tenant, message, time.now());
      names.set(eventId(kept.message.eventUlid), name);
      cameAt.set(name, time.now());
      await pipeline.queues.events.send(announcementOf(workspace.tenant, kept));
      fast.ask();
      await time.sleep(every);
    }
  }
  /** What was put off becomes visible as time passes. */
  async function look(): Promise<void> {
    for (let passed = 0; passed < events * every + after; passed += SECOND) {
      later.ask();
      await time.sleep(SECOND);
    }
  }
  try {
    const traffic = Promise.all([come(), look()]);
    await time.run();
    await traffic;
  } finally {
    time.close();
  }
  const faults = [...fast.faults, ...later.faults];
  if (faults.length > 0) throw faults[0];
  return receivers.calls().flatMap((call) => {
    const came = cameAt.get(call.event);
    return came === undefined ? [] : [{ ...call, cameAt: came }];
  });
}

/** Hands a queue's batches to its worker, so many side by side, whenever it is asked to look or one has ended. */
function feed(source: EventSource, atOnce: number) {
  const faults: unknown[] = [];
  let [running, asking, again] = [0, false, false];
  async function ask(): Promise<void> {
    again = true;
    if (asking) return;
    asking = true;
    while (again) {
      again = false;
      while (running < atOnce) {
        const batch = await source.next();
        if (!batch) break;
        running++;
        void batch
          .work()
          .catch((fault: unknown) => faults.push(fault))
          .finally(() => {
            running--;
            void ask();
          });
      }
    }
    asking = false;
  }
  return { ask: () => void ask().catch((fault: unknown) => faults.push(fault)), faults };
}
