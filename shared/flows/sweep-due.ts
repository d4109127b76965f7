import type { Outgoing } from "../aws/queues.ts";
import { RETENTION } from "../domain/limits.ts";
import { eachOf } from "../kernel/parallel.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import type { DueItem } from "../table/due.ts";
import type { SweepPorts } from "./ports.ts";
import { retryMessage } from "./schedule-retry.ts";
import { stepMessage } from "./webhooks/steps.ts";

/** The queue holds a message back to the second, so a sweep may hand on what is due a little later. */
export const SWEPT_AHEAD: Millis = 2 * MINUTE;

/** What one request to the queue carries, and requests that run at once. */
const REQUEST_MAX = 10;
const WIDTH = 10;

/**
 * Hands what is due on to the deliveries queue, earliest first, each to its own second. After each page the mark moves
 * behind it: a sweep that dies, ends early or is late is gone on with by the next, from that page's end.
 * @param inTime whether another page may be begun
 */
export async function sweepDue(ports: SweepPorts, now: Millis, inTime: () => boolean = () => true): Promise<void> {
  const mark = await ports.due.sweptUpTo();
  let reached = mark?.at ?? null;
  let handedOn = 0;
  // The very first sweep looks back as far as anything may still be delivered.
  for await (const { items, upTo, last } of ports.due.between(mark ?? now - RETENTION, now + SWEPT_AHEAD)) {
    if (!inTime()) break;
    if (items.length === 0 && !last) continue;
    await handOn(ports, items, now);
    await ports.due.markSwept(upTo);
    handedOn += items.length;
    reached = upTo.at;
  }
  if (reached !== null) ports.log({ event: "swept", handed_on: handedOn, up_to: reached });
}

async function handOn(ports: SweepPorts, items: readonly DueItem[], now: Millis): Promise<void> {
  const requests: Outgoing[][] = [];
  for (let i = 0; i < items.length; i += REQUEST_MAX) {
    requests.push(items.slice(i, i + REQUEST_MAX).map((due) => messageOf(due, now)));
  }
  await eachOf(requests, WIDTH, (messages) => ports.retries.sendAll(messages));
}

function messageOf(due: DueItem, now: Millis): Outgoing {
  return due.kind === "step"
    ? stepMessage(due, due.body, due.dueAt - now)
    : retryMessage(due.tenant, due, due.attempt, due.dueAt, now);
}
