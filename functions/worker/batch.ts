import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "../../shared/aws/log.ts";
import type { RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { errorClass } from "../../shared/kernel/error-class.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";

/** How long before the function's time-out a worker stops waiting for records: they come again. */
const REPORT_MARGIN: Millis = 3 * SECOND;

export interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** Makes a record that is to come again come at the right moment. @param after from now */
export type Postpone = (record: SQSRecord, after: Millis) => Promise<void>;

/**
 * Ends every record of a batch with one of three words and reports those that are to come again. A record that is not
 * through shortly before the time-out comes again too: what it did so far is safe to repeat.
 */
export async function processRecords(
  worker: string,
  event: SQSEvent,
  invocation: Invocation,
  log: Log,
  postpone: Postpone,
  work: (records: readonly SQSRecord[]) => Map<string, Promise<RecordOutcome>>,
): Promise<SQSBatchResponse> {
  const timeout = Math.max(0, invocation.getRemainingTimeInMillis() - REPORT_MARGIN);
  const startedAt = performance.now();
  const outcomes = work(event.Records);
  const failures: string[] = [];
  const counts = { done: 0, dropped: 0, retried: 0 };
  const deadline = startDeadline(timeout);
  await Promise.all(
    event.Records.map(async (record) => {
      const outcome = await awaitOutcome(outcomes.get(record.messageId), deadline.reached, worker, record, log);
      if (outcome.end === "done") counts.done++;
      if (outcome.end === "drop") {
        counts.dropped++;
        log({ event: "record.dropped", worker, reason: outcome.reason });
      }
      if (outcome.end === "retry") {
        counts.retried++;
        failures.push(record.messageId);
        if (outcome.after !== undefined) await postpone(record, outcome.after).catch(() => {});
      }
    }),
  );
  deadline.cancel();
  log({
    event: "worker.completed",
    worker,
    records: event.Records.length,
    ...counts,
    duration_ms: Math.round(performance.now() - startedAt),
  });
  return { batchItemFailures: failures.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function awaitOutcome(
  work: Promise<RecordOutcome> | undefined,
  deadline: Promise<RecordOutcome>,
  worker: string,
  record: SQSRecord,
  log: Log,
): Promise<RecordOutcome> {
  try {
    return await Promise.race([work ?? deadline, deadline]);
  } catch (error) {
    log({
      event: "record.failed",
      worker,
      message_id: record.messageId,
      error: errorClass(error),
      receives: receiveCount(record),
    });
    return { end: "retry", cause: "fault" };
  }
}

function startDeadline(timeout: Millis): { reached: Promise<RecordOutcome>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<RecordOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ end: "retry", cause: "out_of_time" }), timeout);
  });
  return { reached, cancel: () => clearTimeout(timer) };
}

/** How often the queue has handed this message out, this time included. */
export function receiveCount(record: SQSRecord): number {
  return Number(record.attributes.ApproximateReceiveCount) || 1;
}

/** When it was sent to its queue, which a dead letter's own queue does not change. */
export function sentTimestamp(record: SQSRecord): Millis {
  return Number(record.attributes.SentTimestamp) || 0;
}

/** The queue's name, the last part of its ARN. */
export function queueName(record: SQSRecord): string {
  return record.eventSourceARN.split(":").at(-1) ?? "";
}
