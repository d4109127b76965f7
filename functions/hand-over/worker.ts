import { DAY, type Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { handOverUpload } from "#features/uploads/flows/hand-over.ts";
import type { HandOverPorts } from "#features/uploads/ports.ts";
import { decodeUpload } from "#features/uploads/queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";
import { isRepeated } from "../worker/redelivery.ts";

const worker = "hand-over";

/** The worker that hands uploads over to the platforms. */
export function handOverWorker(ports: HandOverPorts & WorkerPorts, now: () => Millis) {
  return queueWorker(worker, ports.log, (event, context) => {
    const time = { now, endsAt: now() + context.getRemainingTimeInMillis() };
    return processRecords(event, context, { worker, ports, outage: { now, life: () => DAY } }, (records) => {
      const outcomes = records.map((record): [string, Promise<RecordOutcome>] => {
        const uploadMessage = decodeUpload(record.body);
        if (!uploadMessage) return [record.messageId, Promise.resolve(unreadable)];
        const message = { ...uploadMessage, repeated: isRepeated(record) };
        return [record.messageId, runWithTrace(message.traceId ?? null, () => handOverUpload(ports, message, time))];
      });
      return new Map(outcomes);
    });
  });
}
