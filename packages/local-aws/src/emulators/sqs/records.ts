import type { Millis } from "../../support/time.ts";
import type { Attributes } from "./attributes.ts";
import { type Message, markMoved, markPostponed, markReceived } from "./messages.ts";

// The journal records of the queues. A message in flight at a crash is visible after the restart, although its consumer
// has postponed it. Who reads the journal of a running stack sees when it is due.

export type SqsRecord =
  | { readonly op: "queue"; readonly queue: string; readonly settings: QueueSettings }
  | { readonly op: "drop"; readonly queue: string }
  | { readonly op: "purge"; readonly queue: string }
  | { readonly op: "send"; readonly queue: string; readonly messages: readonly Message[] }
  | {
      readonly op: "receive";
      readonly queue: string;
      readonly at: Millis;
      readonly until: Millis;
      readonly ids: readonly string[];
    }
  | { readonly op: "postpone"; readonly queue: string; readonly until: Millis; readonly ids: readonly string[] }
  | { readonly op: "delete"; readonly queue: string; readonly ids: readonly string[] }
  | {
      readonly op: "move";
      readonly queue: string;
      readonly to: string;
      readonly source: string | null;
      readonly ids: readonly string[];
    };

export interface QueueSettings {
  readonly attributes: Attributes;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Millis;
  readonly modifiedAt: Millis;
}

/** A queue's state as read from the journal. */
export interface QueueSnapshot {
  settings: QueueSettings;
  readonly messages: Map<string, Message>;
}

/** Replays the records. Unknown ids are ignored. */
export function replay(records: Iterable<SqsRecord>): Map<string, QueueSnapshot> {
  const queues = new Map<string, QueueSnapshot>();
  for (const record of records) apply(queues, record);
  return queues;
}

/** The shortest list of records that restores a queue. */
export function* snapshotRecords(name: string, snapshot: QueueSnapshot): Generator<SqsRecord> {
  yield { op: "queue", queue: name, settings: snapshot.settings };
  for (const message of snapshot.messages.values()) yield { op: "send", queue: name, messages: [message] };
}

function apply(queues: Map<string, QueueSnapshot>, record: SqsRecord): void {
  const queue = queues.get(record.queue);
  if (record.op === "queue") {
    if (queue) queue.settings = record.settings;
    else queues.set(record.queue, { settings: record.settings, messages: new Map() });
    return;
  }
  const messages = queue?.messages;
  if (!messages) return;
  switch (record.op) {
    case "drop":
      queues.delete(record.queue);
      return;
    case "purge":
      messages.clear();
      return;
    case "send":
      for (const message of record.messages) messages.set(message.id, message);
      return;
    case "receive":
      for (const [id, message] of pick(messages, record.ids)) {
        messages.set(id, markReceived(message, record.at, record.until));
      }
      return;
    case "postpone":
      for (const [id, message] of pick(messages, record.ids)) messages.set(id, markPostponed(message, record.until));
      return;
    case "delete":
      for (const id of record.ids) messages.delete(id);
      return;
    case "move":
      for (const [id, message] of pick(messages, record.ids)) {
        messages.delete(id);
        queues.get(record.to)?.messages.set(id, markMoved(message, record.source));
      }
  }
}

function* pick(messages: Map<string, Message>, ids: readonly string[]): Generator<[string, Message]> {
  for (const id of ids) {
    const message = messages.get(id);
    if (message) yield [id, message];
  }
}
