import type { QueueMessage } from "../../aws/queues.ts";
import { QUEUE_DELAY_MAX } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeRetry, type RetryMessage } from "../../queues/messages.ts";
import type { DeliverPorts } from "./ports.ts";

/**
 * The queue message of a later attempt, to be taken up at `dueAt`.
 * @param manual somebody asked for this very attempt
 */
export function retryMessage(
  tenant: TenantId,
  delivery: { endpointId: string; eventUlid: string },
  attempt: number,
  dueAt: Millis,
  now: Millis,
  manual = false,
): QueueMessage {
  const { endpointId, eventUlid } = delivery;
  return delayedRetryMessage(
    { tenant, endpointId, eventUlid, attempt, ...(manual ? { manual } : {}) },
    Math.max(0, dueAt - now),
  );
}

/** The queue message of an attempt that is to come `delay` from now; of at most 15 minutes. */
export function delayedRetryMessage(message: RetryMessage, delay: Millis): QueueMessage {
  return { body: encodeRetry(message), group: `${message.tenant}/${message.endpointId}`, delay };
}

/**
 * Sees to the attempt after `attempt`: a wait of up to 15 minutes rides on the queue, a longer one rests in a due
 * bucket. Run twice it is scheduled twice, and the second is dropped by its token.
 */
export async function scheduleRetry(
  ports: Pick<DeliverPorts, "due" | "retries">,
  tenant: TenantId,
  delivery: { endpointId: string; eventUlid: string },
  attempt: number,
  dueAt: Millis,
  now: Millis,
): Promise<void> {
  if (dueAt - now > QUEUE_DELAY_MAX) {
    await ports.due.put({ tenant, endpointId: delivery.endpointId, eventUlid: delivery.eventUlid, attempt, dueAt });
  } else {
    await ports.retries.send(retryMessage(tenant, delivery, attempt, dueAt, now));
  }
}
