import type { SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "../../shared/aws/log.ts";
import type { Queue } from "../../shared/aws/queues.ts";
import type { RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { errorClass } from "../../shared/kernel/error-class.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { readTraceId } from "../../shared/queues/envelope.ts";
import type { BatchReport, WorkerContext } from "./middleware.ts";

/** Changes when a retried record is received again. @param delay from now */
export type Postpone = (record: SQSRecord, delay: Millis) => Promise<void>;

/** Postpones a record in its own queue. @param queues every queue that the worker reads */
export function postponeIn(queues: readonly Pick<Queue, "name" | "postpone">[]): Postpone {
  return async (record, delay) => {
    const queue = queues.find(({ name }) => name === queueName(record));
    await queue?.postpone(record.receiptHandle, delay);
  };
}

interface BatchOptions {
  readonly worker: string;
  readonly log: Log;
  /** Without it a retried record waits for the queue's visibility timeout. */
  readonly postpone?: Postpone;
}

/**
 * Ends every record of a batch as done, dropped or retried. A record that is not finished at the deadline is retried:
 * what it did so far is safe to repeat.
 */
export async function processRecords(
  { Records: records }: SQSEvent,
  { deadline }: WorkerContext,
  { worker, log, postpone }: BatchOptions,
  work: (records: readonly SQSRecord[]) => Map<string, Promise<RecordOutcome>>,
): Promise<BatchReport> {
  const outOfTime = deadline.reached.then((): RecordOutcome => ({ end: "retry", cause: "out_of_time" }));
  const outcomes = work(records);
  const failures: string[] = [];
  const counts = { done: 0, dropped: 0, retried: 0 };
  await Promise.all(
    records.map(async (record) => {
      const outcome = await awaitOutcome(
        Promise.race([outcomes.get(record.messageId) ?? outOfTime, outOfTime]),
        record,
        { worker, log },
      );
      if (outcome.end === "done") counts.done++;
      if (outcome.end === "drop") {
        counts.dropped++;
        log({ event: "record.dropped", worker, reason: outcome.reason, trace_id: readTraceId(record.body) });
      }
      if (outcome.end === "retry") {
        counts.retried++;
        failures.push(record.messageId);
        if (outcome.after !== undefined) await postpone?.(record, outcome.after).catch(() => {});
      }
    }),
  );
  return { records: records.length, ...counts, failures };
}

async function awaitOutcome(
  work: Promise<RecordOutcome>,
  record: SQSRecord,
  { worker, log }: Pick<BatchOptions, "worker" | "log">,
): Promise<RecordOutcome> {
  try {
    return await work;
  } catch (error) {
    log({
      event: "record.failed",
      worker,
      message_id: record.messageId,
      error: errorClass(error),
      receives: receiveCount(record),
      trace_id: readTraceId(record.body),
    });
    return { end: "retry", cause: "fault" };
  }
}

/** How often the queue has delivered this message, including this time. */
export function receiveCount(record: SQSRecord): number {
  return Number(record.attributes.ApproximateReceiveCount) || 1;
}

/** When the message was sent. A dead letter keeps the time of its first queue. */
export function sentTimestamp(record: SQSRecord): Millis {
  return Number(record.attributes.SentTimestamp) || 0;
}

/** The queue's name, the last part of its ARN. */
export function queueName(record: SQSRecord): string {
  return record.eventSourceARN.split(":").at(-1) ?? "";
}
