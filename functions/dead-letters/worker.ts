import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { DeadLetterPorts } from "../../shared/flows/dead-letters/ports.ts";
import { quarantineDeadLetter } from "../../shared/flows/dead-letters/quarantine.ts";
import { done, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { newTally, saveTally, type Tally } from "../../shared/flows/stats/count.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { type Invocation, processRecords, queueName, receiveCount, sentTimestamp } from "../worker/batch.ts";

const noPostponing = async () => {};

/** The consumer of every dead-letter queue. */
export function deadLettersWorker(ports: DeadLetterPorts, now: () => Millis) {
  return async (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> => {
    const tally = newTally();
    const response = await processRecords(
      "dead-letters",
      event,
      invocation,
      ports.log,
      noPostponing,
      (records) => new Map(records.map((record) => [record.messageId, quarantineRecord(ports, record, tally, now())])),
    );
    await saveTally(ports, tally, now());
    return response;
  };
}

async function quarantineRecord(
  ports: DeadLetterPorts,
  record: SQSRecord,
  tally: Tally,
  now: Millis,
): Promise<RecordOutcome> {
  const queue = ports.findSourceQueue(queueName(record));
  // It stays in its queue, of which an alarm tells, and is not set aside where nobody would look.
  if (!queue) throw new UnknownQueue("This queue holds the dead letters of no queue that is known.");
  const deadLetter = {
    queue,
    messageId: record.messageId,
    sentAt: sentTimestamp(record),
    body: record.body,
    group: record.attributes.MessageGroupId ?? null,
    receives: receiveCount(record),
  };
  await quarantineDeadLetter(ports, deadLetter, tally, now);
  return done;
}

class UnknownQueue extends Error {
  override readonly name = "UnknownQueue";
}
