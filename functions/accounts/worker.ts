import { runAccountTask, type TaskPorts } from "../../shared/flows/accounts/run-task.ts";
import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { runWithTrace } from "../../shared/kernel/trace.ts";
import { decodeAccountTask } from "../../shared/queues/accounts.ts";
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
          if (!message) return [messageId, Promise.resolve(drop("unreadable"))];
          return [messageId, runWithTrace(message.traceId ?? null, () => runAccountTask(ports, message, time))];
        });
        return new Map(outcomes);
      },
    );
  });
}
