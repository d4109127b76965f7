import type { ReceivedLetter } from "#base/aws/dead-letter-queues.ts";
import type { QueueName } from "#base/config/names.ts";
import { failedStage } from "#base/kernel/attempt-stage.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import { readFirstSentAt, readTraceId } from "#base/queues/envelope.ts";
import { newTally, saveTally, type Tally } from "#features/stats/count.ts";
import type { EmptyQueuesPorts } from "../ports.ts";
import { quarantineDeadLetter } from "./quarantine.ts";

type LetterQueue = EmptyQueuesPorts["deadLetterQueues"][number];

/**
 * Quarantines the messages of every dead-letter queue and deletes each that is stored: ten messages of each queue in turn,
 * so that a flood of one does not delay the others. One that cannot be stored stays in its queue and is received by a later
 * run. What remains is reported by queue. Safe to repeat, also beside another run. An empty queue costs one request.
 * @param hasTime whether another batch may start
 * @throws what SQS refused, when the other queues are empty
 */
export async function emptyDeadLetterQueues(
  ports: EmptyQueuesPorts,
  now: Millis,
  hasTime: () => boolean,
): Promise<void> {
  const failures: unknown[] = [];
  const remaining = new Map<LetterQueue, number>();
  let open = [...ports.deadLetterQueues];
  while (open.length > 0 && hasTime()) {
    const next: LetterQueue[] = [];
    for (const queue of open) {
      // In an outage each request may take seconds.
      if (!hasTime()) {
        next.push(queue);
        continue;
      }
      const batch = await quarantineBatch(ports, queue, now).catch((error: unknown) => {
        failures.push(error);
        return { received: 0, failed: 0 };
      });
      if (batch.received > 0) next.push(queue);
      if (batch.failed > 0) remaining.set(queue, (remaining.get(queue) ?? 0) + batch.failed);
    }
    open = next;
  }
  // The time was over: these had messages at their last receive, or were not read.
  for (const queue of open) remaining.set(queue, (remaining.get(queue) ?? 0) + 1);
  for (const [{ name }, messages] of remaining) ports.log({ event: "dead_letters.waiting", queue: name, messages });
  if (failures.length > 0) throw failures[0];
}

async function quarantineBatch(
  ports: EmptyQueuesPorts,
  queue: LetterQueue,
  now: Millis,
): Promise<{ readonly received: number; readonly failed: number }> {
  const letters = await queue.receive();
  if (letters.length === 0) return { received: 0, failed: 0 };
  const tally = newTally();
  const isStored = await allDone(letters.map((letter) => quarantine(ports, { letter, from: queue.name }, tally, now)));
  await saveTally(ports, tally, now);
  const stored = letters.filter((_, index) => isStored[index]);
  if (stored.length > 0) await queue.remove(stored);
  return { received: letters.length, failed: letters.length - stored.length };
}

async function quarantine(
  ports: EmptyQueuesPorts,
  { letter, from }: { readonly letter: ReceivedLetter; readonly from: QueueName | "all" },
  tally: Tally,
  now: Millis,
): Promise<boolean> {
  try {
    const source = ports.findSourceQueue(from, letter.movedFrom);
    // In quarantine under no queue, no one would find the message.
    if (!source) throw new UnknownQueue("No known queue has this message as a dead letter.");
    // Of a message that was replaced in an outage, the first one counts.
    const sentAt = readFirstSentAt(letter.body) ?? letter.sentAt;
    await quarantineDeadLetter(ports, { ...letter, queue: source, sentAt }, tally, now);
    return true;
  } catch (error) {
    ports.log({
      event: "record.failed",
      worker: "dead-letters",
      message_id: letter.messageId,
      error: errorClass(error),
      receives: letter.receives,
      stage: failedStage(error),
      trace_id: readTraceId(letter.body),
    });
    return false;
  }
}

class UnknownQueue extends Error {
  override readonly name = "UnknownQueue";
}
