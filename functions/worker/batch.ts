import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "../../shared/aws/log.ts";
import type { RecordEnd } from "../../shared/flows/record-outcome.ts";
import { errorClass } from "../../shared/kernel/error-class.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";

/** How long before the function's time-out a worker stops waiting for records: they come again. */
const REPORT_EARLY: Millis = 3 * SECOND;

export interface Invocation {
  getRemainingTimeInMillis(): number;
}

/** Makes a record that is to come again come at the right moment. @param after from now */
export type Postpone = (record: SQSRecord, after: Millis) => Promise<void>;

/**
 * Ends every record of a batch with one of three words and reports those that are to come again. A record that is not
 * through shortly before the time-out comes again too: what it did so far is safe to repeat.
 */
export async function endBatch(
  worker: string,
  event: SQSEvent,
  invocation: Invocation,
  log: Log,
  postpone: Postpone,
  work: (records: readonly SQSRecord[]) => Map<string, Promise<RecordEnd>>,
): Promise<SQSBatchResponse> {
  const span = Math.max(0, invocation.getRemainingTimeInMillis() - REPORT_EARLY);
  const begun = performance.now();
  const ends = work(event.Records);
  const failures: string[] = [];
  const counts = { done: 0, dropped: 0, retried: 0 };
  const outOfTime = alarm(span);
  await Promise.all(
    event.Records.map(async (record) => {
      const end = await endOf(ends.get(record.messageId), outOfTime.rang, worker, record, log);
      if (end.end === "done") counts.done++;
      if (end.end === "drop") {
        counts.dropped++;
        log({ event: "record_dropped", worker, reason: end.reason });
      }
      if (end.end === "retry") {
        counts.retried++;
        failures.push(record.messageId);
        if (end.after !== undefined) await postpone(record, end.after).catch(() => {});
      }
    }),
  );
  outOfTime.cancel();
  log({
    event: "batch",
    worker,
    records: event.Records.length,
    ...counts,
    duration_ms: Math.round(performance.now() - begun),
  });
  return { batchItemFailures: failures.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function endOf(
  work: Promise<RecordEnd> | undefined,
  outOfTime: Promise<RecordEnd>,
  worker: string,
  record: SQSRecord,
  log: Log,
): Promise<RecordEnd> {
  try {
    return await Promise.race([work ?? outOfTime, outOfTime]);
  } catch (error) {
    log({
      event: "record_failed",
      worker,
      message_id: record.messageId,
      error: errorClass(error),
      receives: receivesOf(record),
    });
    return { end: "retry", cause: "fault" };
  }
}

function alarm(span: Millis): { rang: Promise<RecordEnd>; cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const rang = new Promise<RecordEnd>((resolve) => {
    timer = setTimeout(() => resolve({ end: "retry", cause: "out_of_time" }), span);
  });
  return { rang, cancel: () => clearTimeout(timer) };
}

/** How often the queue has handed this message out, this time included. */
export function receivesOf(record: SQSRecord): number {
  return Number(record.attributes.ApproximateReceiveCount) || 1;
}

/** When it was sent to its queue, which a dead letter's own queue does not change. */
export function sentAtOf(record: SQSRecord): Millis {
  return Number(record.attributes.SentTimestamp) || 0;
}

/** The queue's name, the last part of its ARN. */
export function queueOf(record: SQSRecord): string {
  return record.eventSourceARN.split(":").at(-1) ?? "";
}
