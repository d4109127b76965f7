import type { QueueName } from "#base/config/names.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { CLI } from "#features/access/rules/callers.ts";
import type { RetryMessage } from "#features/delivery/queue.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import type { RedrivePorts } from "../ports.ts";
import type { QuarantinedMessage, RedriveEnd } from "../store/quarantine.ts";
import { inspectDeadLetter, planRedrive, type RedrivePlan } from "./inspect.ts";

/** The result for one dead letter; `reason` is a code of ours or an error's class. */
export interface RedriveResult {
  readonly letter: QuarantinedMessage;
  /**
   * - `sent`, `replayed`, `not_needed`: the letter is marked as redriven
   * - `refused`: it cannot be redriven; `taken`: it was redriven or is claimed; both leave it unchanged
   * - `failed`: an error; it may have been sent, and can be redriven again at once
   */
  readonly end: RedriveEnd | "refused" | "taken" | "failed";
  readonly reason: string | null;
}

/**
 * Sends a dead letter back to its queue and marks it. It is claimed first, so that only one of two operators sends it. If
 * the process dies between the two, the letter can be redriven again five minutes later: its consumer expects duplicates.
 */
export async function redriveDeadLetter(
  ports: RedrivePorts,
  letter: QuarantinedMessage,
  now: () => Millis,
): Promise<RedriveResult> {
  let claim: string | null = null;
  try {
    claim = await ports.quarantine.claimDeadLetter(letter, now());
    if (claim === null) return { letter, end: "taken", reason: null };
    const plan = planRedrive(letter, await inspectDeadLetter(ports, letter, now()));
    const { end, reason } = await executePlan(ports, letter, plan, now());
    if (end === "refused") await ports.quarantine.release(letter, claim);
    else await ports.quarantine.settleDeadLetter(letter, claim, end, now());
    return { letter, end, reason };
  } catch (error) {
    if (claim !== null) await ports.quarantine.release(letter, claim).catch(() => {});
    return { letter, end: "failed", reason: errorClass(error) };
  }
}

async function executePlan(
  ports: RedrivePorts,
  letter: QuarantinedMessage,
  plan: RedrivePlan,
  now: Millis,
): Promise<{ end: RedriveEnd | "refused"; reason: string | null }> {
  switch (plan.action) {
    case "send":
      await ports.queueFor(letter.queue).send({ body: plan.body, ...(letter.group ? { group: letter.group } : {}) });
      return { end: "sent", reason: null };
    case "replay":
      return replay(ports, plan.attempt, now);
    case "skip":
      return { end: "not_needed", reason: plan.reason };
    case "refuse":
      return { end: "refused", reason: plan.reason };
  }
}

/** Replays a delivery that was abandoned: its row would drop the attempt in the letter. */
async function replay(
  ports: RedrivePorts,
  { tenant, endpointId, eventUlid }: RetryMessage,
  now: Millis,
): Promise<{ end: RedriveEnd | "refused"; reason: string | null }> {
  const request = { author: CLI, endpointId, deliveryId: deliveryId(eventUlid, endpointId), force: false };
  const retries = ports.queueFor("Deliveries");
  const result = await replayDelivery({ ...ports, retries }, tenant, request, now);
  return isRefusal(result) ? { end: "refused", reason: result.refused } : { end: "replayed", reason: null };
}

/** Letters redriven concurrently. */
const CONCURRENCY = 10;

/** Redrives a queue's letters up to now, oldest first, without those redriven before. */
export async function* redriveQueue(
  ports: RedrivePorts,
  queue: QueueName,
  now: () => Millis,
): AsyncGenerator<RedriveResult[]> {
  for await (const page of ports.quarantine.list(queue, "oldest", now())) {
    const pending = page.filter(({ redriven }) => redriven === null);
    for (let i = 0; i < pending.length; i += CONCURRENCY) {
      yield await allDone(pending.slice(i, i + CONCURRENCY).map((letter) => redriveDeadLetter(ports, letter, now)));
    }
  }
}
