import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace, type Traced } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { processRecords, type WorkerPorts } from "./batch.ts";
import { queueWorker } from "./middleware.ts";
import { isRepeated } from "./redelivery.ts";

/** What a worker knows of a record beside its message. */
export interface ReceivedRecord {
  readonly now: () => Millis;
  /** When the invocation ends. */
  readonly endsAt: Millis;
  /** Whether another page of work may start. */
  readonly hasTime: () => boolean;
  /** Whether it was received before. */
  readonly repeated: boolean;
}

interface RecordWork<Ports, Message extends Traced> {
  /** The worker's name in log lines. */
  readonly worker: string;
  /** @returns null for a message that this release cannot read */
  readonly decode: (body: string) => Message | null;
  /** Safe to repeat. The records of a batch run concurrently. */
  readonly run: (ports: Ports, message: Message, record: ReceivedRecord) => Promise<RecordOutcome>;
  /** How long after its first send a message is about something. Default: always */
  readonly life?: (body: string) => Millis;
}

/** A worker whose records have nothing in common: each is decoded and processed alone, under the trace id of its message. */
export function recordWorker<Ports, Message extends Traced>({
  worker,
  decode,
  run,
  life = () => Number.POSITIVE_INFINITY,
}: RecordWork<Ports, Message>) {
  return (ports: Ports & WorkerPorts, now: () => Millis) =>
    queueWorker(worker, ports.log, (event, context) => {
      const time = { now, endsAt: now() + context.getRemainingTimeInMillis(), hasTime: context.hasTime };
      return processRecords(event, context, { worker, ports, outage: { now, life } }, (records) => {
        const outcomes = records.map((record): [string, Promise<RecordOutcome>] => {
          const message = decode(record.body);
          if (!message) return [record.messageId, Promise.resolve(unreadable)];
          const received = { ...time, repeated: isRepeated(record) };
          return [record.messageId, runWithTrace(message.traceId ?? null, () => run(ports, message, received))];
        });
        return new Map(outcomes);
      });
    });
}
