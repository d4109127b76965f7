import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { runWithTrace } from "../../shared/kernel/trace.ts";
import { decodeRealtime, type RealtimeMessage } from "../../shared/queues/realtime.ts";
import { processRecords } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";
import type { PushPorts } from "./ports.ts";

const worker = "push";

/** The worker that pushes frames to sockets. */
export function pushWorker(ports: PushPorts, now: () => Millis) {
  return queueWorker(worker, ports.log, (event, context) =>
    processRecords(event, context, { worker, ports }, (records) => {
      const outcomes = records.map(({ messageId, body }): [string, Promise<RecordOutcome>] => {
        const message = decodeRealtime(body);
        if (!message) return [messageId, Promise.resolve(drop("unreadable"))];
        return [messageId, runWithTrace(message.traceId ?? null, () => push(ports, message, now()))];
      });
      return new Map(outcomes);
    }),
  );
}

/** No socket exists yet. */
async function push(_ports: PushPorts, _message: RealtimeMessage, _now: Millis): Promise<RecordOutcome> {
  return drop("gone");
}
