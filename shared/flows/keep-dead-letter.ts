import type { Millis } from "../kernel/time.ts";
import type { DeadLetter } from "../table/quarantine.ts";
import { countDelivery, type Tally } from "./count.ts";
import type { DeadLetterPorts } from "./ports.ts";
import { readRetry } from "./queue-messages.ts";

/**
 * Sets aside what a worker could not process five times: a quarantine row with the message as it was, a log line, and,
 * for a delivery's later attempt, the row itself. Safe to repeat: every key follows from the message.
 * @param tally grows by a delivery that was given up
 */
export async function keepDeadLetter(
  ports: DeadLetterPorts,
  letter: DeadLetter,
  tally: Tally,
  now: Millis,
): Promise<void> {
  await ports.quarantine.keep(letter, now);
  const attempt = readRetry(letter.body);
  if (attempt) {
    const { tenant, endpointId, eventUlid } = attempt;
    const ours = await ports.deliveries.giveUp(tenant, endpointId, eventUlid, attempt.attempt, now);
    if (ours) countDelivery(tally, tenant, endpointId, "dlq");
  }
  ports.log({
    event: "dead_letter",
    queue: letter.queue,
    message_id: letter.messageId,
    receives: letter.receives,
  });
}
