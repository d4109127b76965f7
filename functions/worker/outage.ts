import type { SQSRecord } from "aws-lambda";
import type { Log } from "../../shared/aws/log.ts";
import type { ReceivedMessages } from "../../shared/aws/received-messages.ts";
import { POSTPONED_FROM_RECEIVE, postponedLine, postponement } from "../../shared/flows/outage.ts";
import { done, drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { errorClass } from "../../shared/kernel/error-class.ts";
import { isServiceFault } from "../../shared/kernel/service-fault.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";
import { readFirstSentAt, withFirstSentAt } from "../../shared/queues/envelope.ts";
import { firstSentAt, receiveCount } from "./redelivery.ts";

/** With the time to schedule the next receives, which is a second, it fits what is left after the deadline of a batch. */
const REQUEST_TIMEOUT: Millis = 0.8 * SECOND;

/** How a worker waits for the end of an outage. */
export interface OutageWait {
  readonly now: () => Millis;
  /** How long after its first send the message is about something. Then it is dropped. */
  readonly life: (body: string) => Millis;
}

interface FailedRecord {
  readonly record: SQSRecord;
  /** What ended it: an error, or an outcome. */
  readonly failure: { readonly error: unknown } | RecordOutcome;
}

/**
 * Replaces a record that fails in an outage by a new message with the same content, which is due within 15 minutes and has
 * been received by nobody. A message that was replaced before is replaced after its first receive. So an outage of any
 * length makes no dead letter.
 * @returns null when the record is to be received again: another failure, few receives, or a queue that refuses the message
 */
export async function waitOutage(
  { receivedMessages, log }: { readonly receivedMessages: ReceivedMessages; readonly log: Log },
  { record, failure }: FailedRecord,
  { now, life }: OutageWait,
): Promise<RecordOutcome | null> {
  const fault = outageOf(failure);
  const receives = receiveCount(record);
  if (fault === null || (receives < POSTPONED_FROM_RECEIVE && readFirstSentAt(record.body) === null)) return null;
  const sentAt = firstSentAt(record) || now();
  if (now() >= sentAt + life(record.body)) return drop("stale");
  const delay = postponement(Math.random());
  const { MessageGroupId: group } = record.attributes;
  const message = { body: withFirstSentAt(record.body, sentAt), delay, ...(group ? { group } : {}) };
  try {
    await receivedMessages.sendBack(record.eventSourceARN, message, AbortSignal.timeout(REQUEST_TIMEOUT));
  } catch (error) {
    log({ event: "record.postpone_failed", error: errorClass(error), receives });
    return null;
  }
  log({ ...postponedLine({ receives, delay, fault }), age_ms: now() - sentAt });
  return done;
}

/** The error or cause of an outage; null for any other end. */
function outageOf(failure: FailedRecord["failure"]): unknown {
  if ("error" in failure) return isServiceFault(failure.error) ? failure.error : null;
  return failure.end === "retry" && failure.isOutage ? failure.cause : null;
}
