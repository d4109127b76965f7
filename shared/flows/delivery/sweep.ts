import type { QueueMessage } from "../../aws/queues.ts";
import { RETENTION } from "../../domain/limits.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import type { DueItem } from "../../stores/delivery/due-attempts.ts";
import type { SweepPorts } from "./ports.ts";
import { retryMessage, SWEEP_AHEAD, taskMessage } from "./schedule.ts";

/**
 * Sends due attempts and tasks to the deliveries queue, earliest first, each delayed to its own second. The checkpoint
 * moves behind each page: when a sweep dies or ends early, the next one continues from there.
 * @param inTime whether another page may start
 */
export async function sweepDue(ports: SweepPorts, now: Millis, inTime: () => boolean = () => true): Promise<void> {
  const checkpoint = await ports.due.checkpoint();
  let sweptUntil = checkpoint?.at ?? null;
  let enqueued = 0;
  // The very first sweep starts at the oldest event that can still be delivered.
  for await (const { items, cursor, last } of ports.due.between(checkpoint ?? now - RETENTION, now + SWEEP_AHEAD)) {
    if (!inTime()) break;
    if (items.length === 0 && !last) continue;
    await ports.retries.sendAll(items.map((due) => toQueueMessage(due, now)));
    await ports.due.saveCheckpoint(cursor);
    enqueued += items.length;
    sweptUntil = cursor.at;
  }
  if (sweptUntil !== null) ports.log({ event: "sweep.completed", enqueued, swept_until: iso(sweptUntil) });
}

function toQueueMessage(due: DueItem, now: Millis): QueueMessage {
  const delay = due.dueAt - now;
  return due.kind === "task" ? taskMessage(due, due.body, delay) : retryMessage(due, delay);
}
