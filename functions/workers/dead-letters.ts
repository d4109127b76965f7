import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { keepTally, newTally } from "../../shared/flows/count.ts";
import { keepDeadLetter } from "../../shared/flows/keep-dead-letter.ts";
import { done } from "../../shared/flows/outcome.ts";
import type { DeadLetterPorts } from "../../shared/flows/ports.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { endBatch, type Invocation, queueOf, receivesOf } from "./batch.ts";

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
      (records) =>
        new Map(
          records.map((record) => [
            record.messageId,
            keepDeadLetter(
              ports,
              {
                queue: queueOf(record),
                messageId: record.messageId,
                body: record.body,
                receives: receivesOf(record),
              },
              tally,
              now(),
            ).then(() => done),
          ]),
        ),
    );
    await keepTally(ports, tally, now());
    return ends;
  };
}
