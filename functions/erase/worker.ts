import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { eraseInBackground } from "#features/erasure/flows/erase.ts";
import type { ErasePorts } from "#features/erasure/ports.ts";
import { decodeErasure } from "#features/erasure/queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";

const worker = "erase";

/** The erase worker. It advances each erasure of a batch as far as it can now. */
export function eraseWorker(ports: ErasePorts & WorkerPorts, now: () => Millis) {
  const { log } = ports;
  return queueWorker(worker, log, (event, context) => {
    const eraseOnce = async (body: string): Promise<RecordOutcome> => {
      const message = decodeErasure(body);
      if (!message) return unreadable;
      return runWithTrace(message.traceId ?? null, () =>
        eraseInBackground(ports, { message, now: now() }, context.hasTime),
      );
    };
    return processRecords(
      event,
      context,
      { worker, ports, outage: { now, life: () => Number.POSITIVE_INFINITY } },
      (records) => new Map(records.map(({ messageId, body }) => [messageId, eraseOnce(body)])),
    );
  });
}
