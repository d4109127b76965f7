import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { handOverUpload } from "../../shared/flows/uploads/hand-over.ts";
import type { HandOverPorts } from "../../shared/flows/uploads/ports.ts";
import { DAY, type Millis } from "../../shared/kernel/time.ts";
import { runWithTrace } from "../../shared/kernel/trace.ts";
import { decodeUpload } from "../../shared/queues/uploads.ts";
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
        if (!uploadMessage) return [record.messageId, Promise.resolve(drop("unreadable"))];
        const message = { ...uploadMessage, repeated: isRepeated(record) };
        return [record.messageId, runWithTrace(message.traceId ?? null, () => handOverUpload(ports, message, time))];
      });
      return new Map(outcomes);
    });
  });
}
