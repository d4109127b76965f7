import type { SQSRecord } from "aws-lambda";
import type { Millis } from "#base/kernel/time.ts";
import { done, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import type { DeadLetterPorts } from "#features/dead-letters/ports.ts";
import { newTally, saveTally, type Tally } from "#features/stats/count.ts";
import { processRecords, queueName, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";
import { firstSentAt, receiveCount } from "../worker/redelivery.ts";

const worker = "dead-letters";

/** The consumer of every dead-letter queue. */
export function deadLettersWorker(ports: DeadLetterPorts & WorkerPorts, now: () => Millis) {
  const { log } = ports;
  return queueWorker(worker, log, async (event, context) => {
    const tally = newTally();
    const report = await processRecords(
      event,
      context,
      { worker, ports },
      (records) => new Map(records.map((record) => [record.messageId, quarantineRecord(ports, record, tally, now())])),
    );
    await saveTally(ports, tally, now());
    return report;
  });
}

async function quarantineRecord(
  ports: DeadLetterPorts,
  record: SQSRecord,
  tally: Tally,
  now: Millis,
): Promise<RecordOutcome> {
  const queue = ports.findSourceQueue(queueName(record), movedFrom(record));
  // The message stays in its queue and raises an alarm. In quarantine under no queue, no one would find it.
  if (!queue) throw new UnknownQueue("No known queue has this message as a dead letter.");
  const deadLetter = {
    queue,
    messageId: record.messageId,
    sentAt: firstSentAt(record),
    body: record.body,
    group: record.attributes.MessageGroupId ?? null,
    receives: receiveCount(record),
  };
  await quarantineDeadLetter(ports, deadLetter, tally, now);
  return done;
}

/** The name of the queue that SQS moved a dead letter from; null when the message was sent to the dead-letter queue itself. */
function movedFrom(record: SQSRecord): string | null {
  return record.attributes.DeadLetterQueueSourceArn?.split(":").at(-1) ?? null;
}

class UnknownQueue extends Error {
  override readonly name = "UnknownQueue";
}
