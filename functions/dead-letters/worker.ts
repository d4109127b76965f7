import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { keepDeadLetter } from "../../shared/flows/dead-letters/quarantine.ts";
import type { DeadLetterPorts } from "../../shared/flows/ports.ts";
import { done, type RecordEnd } from "../../shared/flows/record-outcome.ts";
import { keepTally, newTally, type Tally } from "../../shared/flows/stats/count.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { endBatch, type Invocation, queueOf, receivesOf, sentAtOf } from "../worker/batch.ts";

const noPostponing = async () => {};

/** The consumer of every dead-letter queue. */
export function deadLettersWorker(ports: DeadLetterPorts, now: () => Millis) {
  return async (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> => {
    const tally = newTally();
    const ends = await endBatch(
      "dead-letters",
      event,
      invocation,
      ports.log,
      noPostponing,
      (records) => new Map(records.map((record) => [record.messageId, keep(ports, record, tally, now())])),
    );
    await keepTally(ports, tally, now());
    return ends;
  };
}

async function keep(ports: DeadLetterPorts, record: SQSRecord, tally: Tally, now: Millis): Promise<RecordEnd> {
  const queue = ports.queueBehind(queueOf(record));
  // It stays in its queue, of which an alarm tells, and is not set aside where nobody would look.
  if (!queue) throw new UnknownQueue("This queue holds the dead letters of no queue that is known.");
  const letter = {
    queue,
    messageId: record.messageId,
    sentAt: sentAtOf(record),
    body: record.body,
    group: record.attributes.MessageGroupId ?? null,
    receives: receivesOf(record),
  };
  await keepDeadLetter(ports, letter, tally, now);
  return done;
}

class UnknownQueue extends Error {
  override readonly name = "UnknownQueue";
}
