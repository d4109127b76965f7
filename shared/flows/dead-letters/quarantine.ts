import { deadLetterId } from "../../domain/dead-letters/dead-letters.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { decodeEndpointTask, decodeRetry } from "../../queues/deliveries.ts";
import type { DeadLetter } from "../../stores/dead-letters/quarantine.ts";
import { countDelivery, type Tally } from "../stats/count.ts";
import type { DeadLetterPorts } from "./ports.ts";

/** How long after it was given up a step of an endpoint is tried again: by then a sweep is sure to come by. */
const TASK_RETRY_DELAY: Millis = 30 * MINUTE;

/**
 * Sets aside what a worker could not process five times: a quarantine row with the message as it was, a log line, and,
 * for a delivery's later attempt, the row itself. A step that an endpoint's deliveries wait for is tried again later.
 * Safe to repeat: every key follows from the message, and a letter that was redriven meanwhile gives up nothing, for its
 * attempt is on its way again.
 * @param tally grows by a delivery that was given up
 */
export async function quarantineDeadLetter(
  ports: DeadLetterPorts,
  letter: DeadLetter,
  tally: Tally,
  now: Millis,
): Promise<void> {
  const state = await ports.quarantine.save(letter, now);
  const attempt = state === "redriven" ? null : decodeRetry(letter.body);
  if (attempt) {
    const { tenant, endpointId, eventUlid } = attempt;
    const failedRow = await ports.deliveries.giveUp(tenant, endpointId, eventUlid, attempt.attempt, now);
    if (failedRow) countDelivery(tally, tenant, failedRow, "dlq");
  }
  const task = state === "redriven" ? null : decodeEndpointTask(letter.body);
  // Without it, what waits for the endpoint might wait for good.
  if (task && task.kind !== "warn") {
    const { tenant, endpointId } = task;
    await ports.due.putTask({ tenant, endpointId, body: letter.body, dueAt: now + TASK_RETRY_DELAY });
  }
  ports.log({
    event: "dead_letter.quarantined",
    id: deadLetterId(letter),
    queue: letter.queue,
    message_id: letter.messageId,
    receives: letter.receives,
  });
}
