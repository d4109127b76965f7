import type { Outgoing } from "../../aws/queues.ts";
import { RETENTION } from "../../domain/limits.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { DueItem } from "../../stores/delivery/due-attempts.ts";
import type { SweepPorts } from "../ports.ts";
import { stepMessage } from "./endpoint-tasks.ts";
import { retryMessage } from "./schedule.ts";

/** The queue holds a message back to the second, so a sweep may hand on what is due a little later. */
export const SWEPT_AHEAD: Millis = 2 * MINUTE;

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
    await ports.retries.sendAll(items.map((due) => messageOf(due, now)));
    await ports.due.markSwept(upTo);
    handedOn += items.length;
    reached = upTo.at;
  }
  if (reached !== null) ports.log({ event: "swept", handed_on: handedOn, up_to: reached });
}

function messageOf(due: DueItem, now: Millis): Outgoing {
  return due.kind === "step"
    ? stepMessage(due, due.body, due.dueAt - now)
    : retryMessage(due.tenant, due, due.attempt, due.dueAt, now);
}
