import type { SQSClient } from "@aws-sdk/client-sqs";
import { type DeadLetterQueue, openDeadLetterQueues } from "#base/aws/dead-letter-queues.ts";
import type { QueueName } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import { emptyDeadLetterQueues } from "#features/dead-letters/flows/empty-queues.ts";
import type { EmptyQueuesPorts } from "#features/dead-letters/ports.ts";

/** The ports of the sweep, with one dead-letter queue. */
export function lettersOf(
  ports: Omit<EmptyQueuesPorts, "deadLetterQueues" | "findSourceQueue">,
  { queue, url, sqs }: { readonly queue: QueueName; readonly url: string; readonly sqs: SQSClient },
): EmptyQueuesPorts {
  return {
    ...ports,
    deadLetterQueues: openDeadLetterQueues(new Map([[queue, url]]), sqs),
    findSourceQueue: () => queue,
  };
}

/** Quarantines the visible messages of a queue, as if they were in the dead-letter queue. @returns how many were stored */
export async function buryMessages(ports: EmptyQueuesPorts, now: Millis): Promise<number> {
  let stored = 0;
  const counting = (queue: EmptyQueuesPorts["deadLetterQueues"][number]) => ({
    ...queue,
    remove: async (letters: Parameters<DeadLetterQueue["remove"]>[0]) => {
      await queue.remove(letters);
      stored += letters.length;
    },
  });
  await emptyDeadLetterQueues({ ...ports, deadLetterQueues: ports.deadLetterQueues.map(counting) }, now, () => true);
  return stored;
}
