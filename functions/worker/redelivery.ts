import type { SQSRecord } from "aws-lambda";
import type { Log } from "#base/aws/log.ts";
import type { ReceivedMessages } from "#base/aws/received-messages.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { readFirstSentAt } from "#base/queues/envelope.ts";

const FIRST_DELAY: Millis = 5 * SECOND;
/** With the jitter below the shortest visibility timeout, 180 s: a failed record is never received later than without. */
const DELAY_MAX: Millis = 160 * SECOND;
const JITTER = 0.1;
/** Leaves a second before the invocation must end. */
const REQUEST_TIMEOUT: Millis = SECOND;

/** A record that is to be received again. */
export interface RetriedRecord {
  readonly record: SQSRecord;
  /** When, from now. Default: by how often it was received. */
  readonly after?: Millis | undefined;
}

/**
 * Schedules the next receive of a batch's retried records. Without it, they come again after the visibility timeout:
 * when this fails, and when the function died before it.
 */
export async function scheduleRedelivery(
  { receivedMessages, log }: { readonly receivedMessages: ReceivedMessages; readonly log: Log },
  retried: readonly RetriedRecord[],
  random: () => number = Math.random,
): Promise<void> {
  const queueArn = retried[0]?.record.eventSourceARN;
  if (queueArn === undefined) return;
  const messages = retried.map(({ record, after }) => ({
    receiptHandle: record.receiptHandle,
    delay: after ?? redeliveryDelay(receiveCount(record), random()),
  }));
  const logFailure = (records: number, error: string) => {
    const queue = queueArn.slice(queueArn.lastIndexOf(":") + 1);
    log({ event: "redelivery.schedule_failed", queue, records, error });
  };
  try {
    const refused = await receivedMessages.postpone(queueArn, messages, AbortSignal.timeout(REQUEST_TIMEOUT));
    if (refused[0] !== undefined) logFailure(refused.length, refused[0]);
  } catch (error) {
    logFailure(messages.length, errorClass(error));
  }
}

/** 5, 10, 20, … 160 s after the first, second, third, … receive, each plus up to 10%. */
function redeliveryDelay(receives: number, random: number): Millis {
  return Math.min(DELAY_MAX, FIRST_DELAY * 2 ** (receives - 1)) * (1 + JITTER * random);
}

/** How often the queue has delivered this message, including this time. */
export function receiveCount(record: SQSRecord): number {
  return Number(record.attributes.ApproximateReceiveCount) || 1;
}

/** Whether the work of this message may have started before: it was received before, or replaces a message that was. */
export function isRepeated(record: SQSRecord): boolean {
  return receiveCount(record) > 1 || readFirstSentAt(record.body) !== null;
}

/** When the message was sent, or the one that it replaces; 0 if unknown. A dead letter keeps the time of its first queue. */
export function firstSentAt(record: SQSRecord): Millis {
  return readFirstSentAt(record.body) ?? (Number(record.attributes.SentTimestamp) || 0);
}
