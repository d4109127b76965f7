import type { Outgoing } from "../aws/queues.ts";
import { RETENTION } from "../domain/limits.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import type { DueItem } from "../table/due.ts";
import type { SweepPorts } from "./ports.ts";
import { retryMessage } from "./schedule-retry.ts";
import { stepMessage } from "./webhooks/steps.ts";

/** The queue holds a message back to the second, so a sweep may hand on what is due a little later. */
export const SWEPT_AHEAD: Millis = 2 * MINUTE;

/** Shards are read one by one; what they hold is sent together, ten to a request. */
const SENT_TOGETHER = 100;

/**
 * Hands what is due on to the deliveries queue, each to its own second. The mark of how far it came moves only once
 * everything up to it is queued: a sweep that dies, or is late, is made up for by the next.
 */
export async function sweepDue(ports: SweepPorts, now: Millis): Promise<void> {
  const upTo = now + SWEPT_AHEAD;
  // The very first sweep looks back as far as anything may still be delivered.
  const from = (await ports.due.sweptUpTo()) ?? now - RETENTION;
  let handedOn = 0;
  let gathered: Outgoing[] = [];
  for await (const page of ports.due.between(from, upTo)) {
    gathered.push(...page.map((due) => messageOf(due, now)));
    handedOn += page.length;
    if (gathered.length < SENT_TOGETHER) continue;
    await ports.retries.sendAll(gathered);
    gathered = [];
  }
  await ports.retries.sendAll(gathered);
  await ports.due.markSwept(upTo);
  ports.log({ event: "swept", handed_on: handedOn, up_to: upTo });
}

function messageOf(due: DueItem, now: Millis): Outgoing {
  return due.kind === "step"
    ? stepMessage(due, due.body, due.dueAt - now)
    : retryMessage(due.tenant, due, due.attempt, due.dueAt, now);
}
