import type { SQSEvent, SQSRecord } from "aws-lambda";
import type { Log } from "#base/aws/log.ts";
import type { ReceivedMessages } from "#base/aws/received-messages.ts";
import { failedStage } from "#base/kernel/attempt-stage.ts";
import { openCallScope } from "#base/kernel/call-scope.ts";
import { type Deadline, OutOfTime, startDeadline } from "#base/kernel/deadline.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { readTraceId, readVersion } from "#base/queues/envelope.ts";
import type { RecordOutcome } from "#base/queues/record-outcome.ts";
import type { BatchReport, WorkerContext } from "./middleware.ts";
import { type OutageWait, waitOutage } from "./outage.ts";
import { type RetriedRecord, receiveCount, scheduleRedelivery } from "./redelivery.ts";

/** How long a batch waits at its deadline for the calls in progress, so that their outcomes are reported and counted. */
const LAST_CALLS: Millis = SECOND / 2;

/** What the batches of every worker use. */
export interface WorkerPorts {
  readonly log: Log;
  readonly receivedMessages: ReceivedMessages;
}

interface BatchOptions {
  /** The worker's name in log lines. */
  readonly worker: string;
  readonly ports: WorkerPorts;
  /** Default: a message that fails in an outage is received again, as after any other failure. */
  readonly outage?: OutageWait;
}

/**
 * Ends every record of a batch as done, dropped or retried. From the deadline on, no call of a record begins, and a record
 * that does not end with its calls in progress is retried: what it did so far is safe to repeat. A retried record is
 * received again after some seconds, longer each time. In an outage it is replaced by a new message instead. One that this
 * release cannot read is retried until it is a dead letter.
 */
export async function processRecords(
  { Records: records }: SQSEvent,
  { deadline }: WorkerContext,
  { worker, ports, outage }: BatchOptions,
  work: (records: readonly SQSRecord[]) => Map<string, Promise<RecordOutcome>>,
): Promise<BatchReport> {
  const { log } = ports;
  const calls = openCallScope();
  let lastCalls: Deadline | undefined;
  const outOfTime = deadline.reached.then(async () => {
    calls.end();
    lastCalls = startDeadline(LAST_CALLS);
    await lastCalls.reached;
    return retryOutOfTime;
  });
  const outcomes = calls.run(() => work(records));
  // After the deadline there is no time for a request for each record.
  const postpone = async (record: SQSRecord, failure: Parameters<typeof waitOutage>[1]["failure"]) =>
    outage && !lastCalls ? waitOutage(ports, { record, failure }, outage) : null;
  const retried: RetriedRecord[] = [];
  const counts = { done: 0, dropped: 0 };
  await allDone(
    records.map(async (record) => {
      const recordWork = outcomes.get(record.messageId) ?? outOfTime;
      const ended = await Promise.race([recordWork, outOfTime]).catch(
        async (error: unknown): Promise<RecordOutcome> => {
          if (error instanceof OutOfTime) return retryOutOfTime;
          log(failureLine(worker, record, error));
          return (await postpone(record, { error })) ?? { end: "retry", cause: "fault" };
        },
      );
      const outcome = (await postpone(record, ended)) ?? ended;
      if (outcome.end === "done") counts.done++;
      if (outcome.end === "drop") {
        counts.dropped++;
        log({ event: "record.dropped", worker, reason: outcome.reason, trace_id: readTraceId(record.body) });
      }
      if (outcome.end === "retry") retried.push({ record, after: outcome.after });
      if (outcome.end === "unreadable") {
        log({ ...failureLine(worker, record, new UnreadableRecord()), version: readVersion(record.body) });
        retried.push({ record });
        // The message is received again until it is a dead letter, and is counted once.
        if (receiveCount(record) === 1) log({ event: "metrics.counted", metrics: { Unreadable: 1 } });
      }
    }),
  );
  lastCalls?.cancel();
  await scheduleRedelivery(ports, retried);
  const failures = retried.map(({ record }) => record.messageId);
  return { records: records.length, ...counts, retried: retried.length, failures };
}

/** The class of error in the log line of a message that this release cannot read. */
class UnreadableRecord extends Error {
  override readonly name = "UnreadableRecord";
}

const retryOutOfTime: RecordOutcome = { end: "retry", cause: "out_of_time" };

function failureLine(worker: string, record: SQSRecord, error: unknown) {
  return {
    event: "record.failed" as const,
    worker,
    message_id: record.messageId,
    error: errorClass(error),
    receives: receiveCount(record),
    stage: failedStage(error),
    trace_id: readTraceId(record.body),
  };
}

/** The queue's name, the last part of its ARN. */
export function queueName(record: SQSRecord): string {
  return record.eventSourceARN.split(":").at(-1) ?? "";
}
