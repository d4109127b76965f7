import { QUEUE_DELAY_MAX } from "../domain/limits.ts";
import { DAY, MINUTE, type Millis } from "../kernel/time.ts";
import type { SweepPorts } from "./ports.ts";
import { retryMessage } from "./schedule-retry.ts";

/** The queue holds a message back to the second, so a sweep may hand on what is due a little later. */
const AHEAD: Millis = 2 * MINUTE;

/**
 * Hands what is due on to the deliveries queue, each to its own second. The mark of how far it came moves only once
 * everything up to it is queued: a sweep that dies, or is late, is made up for by the next.
 */
export async function sweepDue(ports: SweepPorts, now: Millis): Promise<void> {
  const upTo = now + AHEAD;
  // Nothing is put into a due bucket that is due within the queue's own reach.
  const from = (await ports.due.sweptUpTo()) ?? now - DAY + QUEUE_DELAY_MAX;
  let handedOn = 0;
  for await (const page of ports.due.between(from, upTo)) {
    await ports.retries.sendAll(page.map((due) => retryMessage(due.tenant, due, due.attempt, due.dueAt, now)));
    handedOn += page.length;
  }
  await ports.due.markSwept(upTo);
  ports.log({ event: "swept", handed_on: handedOn, up_to: upTo });
}
