import type { QueueName } from "../../config/names.ts";
import { deliveryId } from "../../domain/delivery/deliveries.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { isRefusal } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { RetryMessage } from "../../queues/messages.ts";
import type { KeptLetter, RedriveEnd } from "../../stores/dead-letters/quarantine.ts";
import { replayDelivery } from "../delivery/replay.ts";
import type { RedrivePorts } from "../ports.ts";
import { lookInto, type Plan, planFor } from "./inspect.ts";

/** What came of one letter; `why` is a word of ours, or an error's class. */
export interface Redriven {
  readonly letter: KeptLetter;
  /**
   * - `sent`, `replayed`, `not_needed`: it is marked and will not be redriven again
   * - `refused`: it cannot be redriven; `taken`: it was, or someone else is about to; both leave it as it was
   * - `failed`: an error; it may have been sent, and may be tried again at once
   */
  readonly end: RedriveEnd | "refused" | "taken" | "failed";
  readonly why: string | null;
}

/**
 * Sends a letter back to where it came from and marks it. It is taken first, so that of two operators one sends it. A
 * process that dies between sending and marking leaves a letter that may be redriven again five minutes later: whatever
 * receives it expects to get things twice.
 */
export async function redrive(ports: RedrivePorts, letter: KeptLetter, now: () => Millis): Promise<Redriven> {
  let claim: string | null = null;
  try {
    claim = await ports.quarantine.claim(letter, now());
    if (claim === null) return { letter, end: "taken", why: null };
    const plan = planFor(letter, await lookInto(ports, letter, now()));
    const { end, why } = await carryOut(ports, letter, plan, now());
    if (end === "refused") await ports.quarantine.release(letter, claim);
    else await ports.quarantine.settle(letter, claim, end, now());
    return { letter, end, why };
  } catch (error) {
    if (claim !== null) await ports.quarantine.release(letter, claim).catch(() => {});
    return { letter, end: "failed", why: errorClass(error) };
  }
}

async function carryOut(
  ports: RedrivePorts,
  letter: KeptLetter,
  plan: Plan,
  now: Millis,
): Promise<{ end: RedriveEnd | "refused"; why: string | null }> {
  switch (plan.does) {
    case "send":
      await ports.queueOf(letter.queue).send({ body: plan.body, ...(letter.group ? { group: letter.group } : {}) });
      return { end: "sent", why: null };
    case "replay":
      return replay(ports, plan.attempt, now);
    case "nothing":
      return { end: "not_needed", why: plan.why };
    case "refuse":
      return { end: "refused", why: plan.why };
  }
}

/** A delivery that was given up begins anew: its row would drop the attempt that the letter names. */
async function replay(
  ports: RedrivePorts,
  { tenant, endpointId, eventUlid }: RetryMessage,
  now: Millis,
): Promise<{ end: RedriveEnd | "refused"; why: string | null }> {
  const request = { endpointId, deliveryId: deliveryId(eventUlid, endpointId), force: false };
  const asker = { caller: "cli", ip: null } as const;
  const retries = ports.queueOf("Deliveries");
  const begun = await replayDelivery({ ...ports, retries }, tenant, { ...request, ...asker }, now);
  return isRefusal(begun) ? { end: "refused", why: begun.refused } : { end: "replayed", why: null };
}

/** Letters that are sent again at once. */
const AT_ONCE = 10;

/** Redrives what a queue left before now and was not redriven yet, oldest first. */
export async function* redriveQueue(
  ports: RedrivePorts,
  queue: QueueName,
  now: () => Millis,
): AsyncGenerator<Redriven[]> {
  for await (const page of ports.quarantine.ofQueue(queue, "oldest", now())) {
    const waiting = page.filter(({ redriven }) => redriven === null);
    for (let i = 0; i < waiting.length; i += AT_ONCE) {
      yield await Promise.all(waiting.slice(i, i + AT_ONCE).map((letter) => redrive(ports, letter, now)));
    }
  }
}
