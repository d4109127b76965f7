import { DAY, type Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { newPushBatch } from "#features/realtime/flows/push/batch.ts";
import type { PushPorts } from "#features/realtime/flows/push/ports.ts";
import { pushMessage } from "#features/realtime/flows/push/push-message.ts";
import { decodeRealtime } from "#features/realtime/queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";
import { firstSentAt } from "../worker/redelivery.ts";

const worker = "push";

/** The worker that pushes frames to sockets. */
export function pushWorker(ports: PushPorts & WorkerPorts, now: () => Millis) {
  return queueWorker(worker, ports.log, (event, context) =>
    processRecords(event, context, { worker, ports, outage: { now, life: () => DAY } }, (records) => {
      const batch = newPushBatch(now);
      const outcomes = records.map((record): [string, Promise<RecordOutcome>] => {
        const message = decodeRealtime(record.body);
        if (!message) return [record.messageId, Promise.resolve(unreadable)];
        const received = { message, sentAt: firstSentAt(record) || now() };
        return [record.messageId, runWithTrace(message.traceId ?? null, () => pushMessage(ports, received, batch))];
      });
      return new Map(outcomes);
    }),
  );
}
