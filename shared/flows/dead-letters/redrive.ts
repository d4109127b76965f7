import type { QueueName } from "../../config/names.ts";
import { deliveryId } from "../../domain/delivery/deliveries.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { isRefusal } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { RetryMessage } from "../../queues/deliveries.ts";
import type { QuarantinedMessage, RedriveEnd } from "../../stores/dead-letters/quarantine.ts";
import { replayDelivery } from "../delivery/replay.ts";
import { inspectDeadLetter, planRedrive, type RedrivePlan } from "./inspect.ts";
import type { RedrivePorts } from "./ports.ts";

/** What came of one letter; `why` is a word of ours, or an error's class. */
export interface RedriveResult {
  readonly letter: QuarantinedMessage;
  /**
   * - `sent`, `replayed`, `not_needed`: it is marked and will not be redriven again
   * - `refused`: it cannot be redriven; `taken`: it was, or someone else is about to; both leave it as it was
   * - `failed`: an error; it may have been sent, and may be tried again at once
   */
  readonly end: RedriveEnd | "refused" | "taken" | "failed";
  readonly reason: string | null;
}

/**
 * Sends a letter back to where it came from and marks it. It is taken first, so that of two operators one sends it. A
 * process that dies between sending and marking leaves a letter that may be redriven again five minutes later: whatever
 * receives it expects to get things twice.
 */
export async function redriveDeadLetter(
  ports: RedrivePorts,
  letter: QuarantinedMessage,
  now: () => Millis,
): Promise<RedriveResult> {
  let claim: string | null = null;
  try {
    claim = await ports.quarantine.claim(letter, now());
    if (claim === null) return { letter, end: "taken", reason: null };
    const plan = planRedrive(letter, await inspectDeadLetter(ports, letter, now()));
    const { end, reason } = await executePlan(ports, letter, plan, now());
    if (end === "refused") await ports.quarantine.release(letter, claim);
    else await ports.quarantine.settle(letter, claim, end, now());
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
    case "nothing":
      return { end: "not_needed", reason: plan.reason };
    case "refuse":
      return { end: "refused", reason: plan.reason };
  }
}

/** A delivery that was given up begins anew: its row would drop the attempt that the letter names. */
async function replay(
  ports: RedrivePorts,
  { tenant, endpointId, eventUlid }: RetryMessage,
  now: Millis,
): Promise<{ end: RedriveEnd | "refused"; reason: string | null }> {
  const request = { endpointId, deliveryId: deliveryId(eventUlid, endpointId), force: false };
  const actor = { actor: "cli" } as const;
  const retries = ports.queueFor("Deliveries");
  const result = await replayDelivery({ ...ports, retries }, tenant, { ...request, ...actor }, now);
  return isRefusal(result) ? { end: "refused", reason: result.refused } : { end: "replayed", reason: null };
}

/** Letters that are sent again at once. */
const CONCURRENCY = 10;

/** Redrives what a queue left before now and was not redriven yet, oldest first. */
export async function* redriveQueue(
  ports: RedrivePorts,
  queue: QueueName,
  now: () => Millis,
): AsyncGenerator<RedriveResult[]> {
  for await (const page of ports.quarantine.list(queue, "oldest", now())) {
    const pending = page.filter(({ redriven }) => redriven === null);
    for (let i = 0; i < pending.length; i += CONCURRENCY) {
      yield await Promise.all(pending.slice(i, i + CONCURRENCY).map((letter) => redriveDeadLetter(ports, letter, now)));
    }
  }
}
