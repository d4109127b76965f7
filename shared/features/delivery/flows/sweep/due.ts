import type { QueueMessage } from "#base/aws/queues.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { iso, MINUTE, type Millis } from "#base/kernel/time.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import type { SweepPorts } from "../../ports.ts";
import { retryMessage, SWEEP_AHEAD, taskMessage } from "../../schedule.ts";
import type { DueErasure, DueItem } from "../../store/due-attempts.ts";

/** How long work of a kind that this release does not know is deferred. */
const LATER_DELAY: Millis = 30 * MINUTE;

/**
 * Sends due attempts and tasks to the deliveries queue and due erasures and tasks of accounts to theirs, earliest
 * first, each delayed to its own second. What only a later release knows is deferred until that release runs. The
 * checkpoint moves behind each page: when a sweep dies or ends early, the next one continues from there.
 * @param hasTime whether another page may start
 */
export async function sweepDue(ports: SweepPorts, now: Millis, hasTime: () => boolean = () => true): Promise<void> {
  const checkpoint = await ports.due.checkpoint();
  let sweptUntil = checkpoint?.at ?? null;
  let enqueued = 0;
  // The very first sweep starts at the oldest event that can still be delivered.
  for await (const { items, cursor, last } of ports.due.between(checkpoint ?? now - RETENTION, now + SWEEP_AHEAD)) {
    if (!hasTime()) break;
    if (items.length === 0 && !last) continue;
    const erasures = items.filter((due) => due.kind === "erasure");
    const accountTasks = items.filter((due) => due.kind === "account_task");
    const laterItems = items.filter((due) => due.kind === "later");
    const deliveries = items.filter((due) => due.kind === "attempt" || due.kind === "task");
    await allDone([
      ports.retries.sendAll(deliveries.map((due) => deliveryMessage(due, now))),
      ports.erasureWork.sendAll(erasures.map((due) => erasureMessage(due, now))),
      ports.accountWork.sendAll(
        accountTasks.map(({ tenant, body, dueAt }) => ({ body, group: tenant, delay: Math.max(0, dueAt - now) })),
      ),
    ]);
    await allDone(laterItems.map((due) => ports.due.defer(due, now + LATER_DELAY)));
    if (laterItems.length > 0) ports.log({ event: "due_items.deferred", items: laterItems.length });
    await ports.due.saveCheckpoint(cursor);
    enqueued += items.length - laterItems.length;
    sweptUntil = cursor.at;
  }
  if (sweptUntil !== null) ports.log({ event: "sweep.completed", enqueued, swept_until: iso(sweptUntil) });
}

function erasureMessage({ dueAt, ...erasure }: DueErasure, now: Millis): QueueMessage {
  return { body: encodeErasure(erasure), group: erasure.tenant, delay: Math.max(0, dueAt - now) };
}

function deliveryMessage(due: Extract<DueItem, { kind: "attempt" | "task" }>, now: Millis): QueueMessage {
  const delay = due.dueAt - now;
  return due.kind === "task" ? taskMessage(due, due.body, delay) : retryMessage(due, delay);
}
