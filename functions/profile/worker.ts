import { DAY, type Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import type { ProfilePorts } from "#features/inbox/ports.ts";
import { decodeProfile } from "#features/inbox/profile-queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";
import { isRepeated } from "../worker/redelivery.ts";

const worker = "profile";

/** The profile worker. It fetches the people of a batch concurrently, each once. */
export function profileWorker(ports: ProfilePorts & WorkerPorts, now: () => Millis) {
  const { log } = ports;
  return queueWorker(worker, log, (event, context) =>
    processRecords(event, context, { worker, ports, outage: { now, life: () => DAY } }, (records) => {
      const lookups = new Map<string, Promise<RecordOutcome>>();
      return new Map(
        records.map((record): [string, Promise<RecordOutcome>] => {
          const { messageId, body } = record;
          const profileMessage = decodeProfile(body);
          if (!profileMessage) return [messageId, Promise.resolve(unreadable)];
          const message = { ...profileMessage, repeated: isRepeated(record) };
          const { tenant, conversationId, traceId = null } = message;
          const key = `${tenant}\n${conversationId}`;
          const lookup = lookups.get(key) ?? runWithTrace(traceId, () => fetchProfile(ports, message, now()));
          lookups.set(key, lookup);
          return [messageId, lookup];
        }),
      );
    }),
  );
}
