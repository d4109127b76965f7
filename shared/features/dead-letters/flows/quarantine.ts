import { parseTenant } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type AccountTask, decodeAccountTask } from "#features/accounts/queue.ts";
import { decodeDeliveries } from "#features/delivery/queue.ts";
import { decodeErasure } from "#features/erasure/queue.ts";
import { decodeInbound } from "#features/inbox/queue.ts";
import { purgedBefore } from "#features/inbox/rules/raw-webhooks.ts";
import { countDelivery, type Tally } from "#features/stats/count.ts";
import { deadLetterTenant } from "../decode.ts";
import type { DeadLetterPorts } from "../ports.ts";
import { deadLetterId } from "../rules/ids.ts";
import type { DeadLetter } from "../store/quarantine.ts";

/** The delay until a failed task or erasure runs again. A sweep reaches it in that time. */
const RETRY_DELAY: Millis = 30 * MINUTE;
/** The tasks of accounts that nothing else repeats. */
const promisedTasks: readonly AccountTask["op"][] = ["finish_connect", "disconnect"];

/**
 * Quarantines a message that a worker failed to process ten times: writes a row with the message, logs a line, and
 * abandons the delivery whose attempt it was. Schedules again what cannot be left undone: a probe or drain, because
 * other deliveries wait for it, an erasure, and a connection or disconnection of an account. Safe to repeat: a
 * repetition schedules a further run at most, and a message that was redriven abandons no delivery. A webhook's raw
 * bytes are not stored when the next purge would remove them. A message of a deleted tenant leaves nothing.
 * @param tally counts a delivery that was abandoned
 */
export async function quarantineDeadLetter(
  ports: DeadLetterPorts,
  deadLetter: DeadLetter,
  tally: Tally,
  now: Millis,
): Promise<void> {
  const letter = withArrival(deadLetter);
  if (letter.queue === "Inbound" && letter.sentAt < purgedBefore(now)) {
    ports.log({ event: "dead_letter.expired", queue: letter.queue, message_id: letter.messageId });
    return;
  }
  const tenantOfLetter = parseTenant(deadLetterTenant({ ...letter, cut: false }) ?? "");
  // What is written after a deletion of the tenant started just now is removed by its next pass.
  if (tenantOfLetter && (await ports.tenants.isDeleted(tenantOfLetter))) {
    ports.log({ event: "dead_letter.of_deleted_tenant", queue: letter.queue, message_id: letter.messageId });
    return;
  }
  const state = await ports.quarantine.save(letter, now);
  const message = state === "redriven" ? null : decodeDeliveries(letter.body);
  if (message?.kind === "attempt") {
    const { tenant } = message.attempt;
    const failedRow = await ports.deliveries.abandon(tenant, message.attempt, now);
    if (failedRow) countDelivery(tally, tenant, failedRow, "dlq");
  }
  // Without this task the waiting deliveries could wait forever.
  if (message?.kind === "task" && message.task.kind !== "warn") {
    const { tenant, endpointId } = message.task;
    await ports.due.putTask({ tenant, endpointId, body: letter.body, dueAt: now + RETRY_DELAY });
  }
  const erasure = state !== "redriven" && letter.queue === "Erasures" ? decodeErasure(letter.body) : null;
  // Nothing else continues it: a person's data would stay.
  if (erasure) await ports.due.putErasure({ ...erasure, dueAt: now + RETRY_DELAY });
  const task = state !== "redriven" && letter.queue === "Accounts" ? decodeAccountTask(letter.body) : null;
  // Nothing else continues it: a person relies on the connection or its end. Other tasks of accounts are due in rows of their own.
  if (task && promisedTasks.includes(task.op)) {
    await ports.due.putAccountTask({ tenant: task.tenant, body: letter.body, dueAt: now + RETRY_DELAY });
  }
  ports.log({
    event: "dead_letter.quarantined",
    id: deadLetterId(letter),
    queue: letter.queue,
    message_id: letter.messageId,
    receives: letter.receives,
  });
}

/** A webhook may have been redriven: its time is that of its arrival. */
function withArrival(letter: DeadLetter): DeadLetter {
  const webhook = letter.queue === "Inbound" ? decodeInbound(letter.body) : null;
  return webhook ? { ...letter, sentAt: Math.min(letter.sentAt, webhook.receivedAt) } : letter;
}
