import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { runAccountTask, type TaskPorts } from "#features/accounts/flows/run-task.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";

const worker = "accounts";

/** The worker of the accounts' tasks. */
export function accountsWorker(ports: TaskPorts & WorkerPorts, now: () => Millis) {
  return queueWorker(worker, ports.log, (event, context) => {
    const time = { now, endsAt: now() + context.getRemainingTimeInMillis() };
    return processRecords(
      event,
      context,
      { worker, ports, outage: { now, life: () => Number.POSITIVE_INFINITY } },
      (records) => {
        const outcomes = records.map(({ messageId, body }): [string, Promise<RecordOutcome>] => {
          const message = decodeAccountTask(body);
          if (!message) return [messageId, Promise.resolve(unreadable)];
          return [messageId, runWithTrace(message.traceId ?? null, () => runAccountTask(ports, message, time))];
        });
        return new Map(outcomes);
      },
    );
  });
}
