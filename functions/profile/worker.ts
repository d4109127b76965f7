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
      const parsedRecords = records.map((record) => ({ record, message: decodeProfile(record.body) }));
      const lookups = new Map<string, Promise<RecordOutcome>>();
      return new Map(
        parsedRecords.map(({ record, message }): [string, Promise<RecordOutcome>] => {
          if (!message) return [record.messageId, Promise.resolve(unreadable)];
          const { tenant, conversationId, traceId = null } = message;
          const key = `${tenant}\n${conversationId}`;
          // One lookup serves all messages about the person.
          const same = parsedRecords.filter(
            (other) => other.message?.tenant === tenant && other.message.conversationId === conversationId,
          );
          const request = {
            tenant,
            conversationId,
            awaited: same.some((other) => other.message?.awaited),
            repeated: same.some((other) => isRepeated(other.record)),
          };
          const lookup = lookups.get(key) ?? runWithTrace(traceId, () => fetchProfile(ports, request, now()));
          lookups.set(key, lookup);
          return [record.messageId, lookup];
        }),
      );
    }),
  );
}
