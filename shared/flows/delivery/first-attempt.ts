import type { QueueMessage } from "../../aws/queues.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { ReplayPorts } from "./ports.ts";
import { retryMessage } from "./schedule.ts";
import { SWEEP_AHEAD } from "./sweep.ts";

interface DeliveryKey {
  readonly endpointId: string;
  readonly eventUlid: string;
}

/** Later than any sweep reaches now, by more than a request can take: no sweep passes it before its row is written. */
const SAFETY_NET_DELAY: Millis = SWEEP_AHEAD + 3 * MINUTE;

/**
 * Written before a row is made `pending`: should the process die between that and the queue, a sweep hands the first
 * attempt on within minutes. Where all went well, or nothing was written after all, that one is dropped by its number.
 */
export function scheduleSafetyNet(
  ports: Pick<ReplayPorts, "due">,
  tenant: TenantId,
  delivery: DeliveryKey,
  now: Millis,
): Promise<void> {
  const { endpointId, eventUlid } = delivery;
  return ports.due.put({ tenant, endpointId, eventUlid, attempt: 1, dueAt: now + SAFETY_NET_DELAY });
}

/**
 * The queue message of a pending delivery's first attempt, due at once.
 * @param manual somebody waits for this very one: it is made even while the endpoint is left alone
 */
export function firstAttemptMessage(
  tenant: TenantId,
  delivery: DeliveryKey,
  now: Millis,
  manual = false,
): QueueMessage {
  return retryMessage(tenant, delivery, 1, now, now, manual);
}
