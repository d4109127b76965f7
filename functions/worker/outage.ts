import type { SQSRecord } from "aws-lambda";
import type { Log } from "#base/aws/log.ts";
import type { ReceivedMessages } from "#base/aws/received-messages.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { QUEUE_DELAY_MAX } from "#base/kernel/limits.ts";
import { isServiceFault } from "#base/kernel/service-fault.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { readFirstSentAt, withFirstSentAt } from "#base/queues/envelope.ts";
import { POSTPONED_FROM_RECEIVE, postponedLine, postponement } from "#base/queues/outage.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { firstSentAt, receiveCount } from "./redelivery.ts";

/** With the time to schedule the next receives, which is a second, it fits what is left after the deadline of a batch. */
const REQUEST_TIMEOUT: Millis = 0.8 * SECOND;

/** How a worker waits for the end of an outage. */
export interface OutageWait {
  readonly now: () => Millis;
  /** How long after its first send the message is about something. Then it is dropped. */
  readonly life: (body: string) => Millis;
  /** How long a message is postponed whose order matters; null for any other. Default: none has an order */
  readonly delay?: (body: string, now: Millis) => Millis | null;
}

interface FailedRecord {
  readonly record: SQSRecord;
  /** What ended it: an error, or an outcome. */
  readonly failure: { readonly error: unknown } | RecordOutcome;
}

/**
 * Replaces a record that fails in an outage by a new message with the same content, which is due within 15 minutes and
 * has been received by no worker. A message that was replaced before is replaced after its first receive, and so is one
 * whose service names a wait of more than a minute. So an outage of any length makes no dead letter.
 * @returns null when the record is to be received again: another failure, few receives, or a queue that refuses the
 *   message
 */
export async function waitOutage(
  { receivedMessages, log }: { readonly receivedMessages: ReceivedMessages; readonly log: Log },
  { record, failure }: FailedRecord,
  { now, life, delay: orderedDelay }: OutageWait,
): Promise<RecordOutcome | null> {
  const fault = outageOf(failure);
  const receives = receiveCount(record);
  const namedWait = namedWaitOf(failure);
  const isAtOnce = namedWait > MINUTE || readFirstSentAt(record.body) !== null;
  if (fault === null || (receives < POSTPONED_FROM_RECEIVE && !isAtOnce)) return null;
  const sentAt = firstSentAt(record) || now();
  if (now() >= sentAt + life(record.body)) return drop("stale");
  const usualDelay = orderedDelay?.(record.body, now()) ?? postponement(Math.random());
  const delay = Math.max(usualDelay, Math.min(namedWait, QUEUE_DELAY_MAX));
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

/** How long the service refuses further calls, as it says itself. 0 when it names no time. */
function namedWaitOf(failure: FailedRecord["failure"]): Millis {
  return "end" in failure && failure.end === "retry" && failure.isOutage ? (failure.after ?? 0) : 0;
}

/** The error or cause of an outage; null for any other end. */
function outageOf(failure: FailedRecord["failure"]): unknown {
  if ("error" in failure) return isServiceFault(failure.error) ? failure.error : null;
  return failure.end === "retry" && failure.isOutage ? failure.cause : null;
}
