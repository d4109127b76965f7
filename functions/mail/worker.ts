import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { decodeMail } from "../../shared/queues/mails.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";

const worker = "mail";

/** The mail worker. */
export function mailWorker(ports: WorkerPorts) {
  return queueWorker(worker, ports.log, (event, context) =>
    processRecords(event, context, { worker, ports }, (records) => {
      const outcomes = records.map(({ messageId, body }): [string, Promise<RecordOutcome>] => {
        const message = decodeMail(body);
        return [messageId, Promise.resolve(drop(message ? "stale" : "unreadable"))];
      });
      return new Map(outcomes);
    }),
  );
}
