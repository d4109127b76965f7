import type { JsonService, Operation } from "../json-service.ts";
import type { ChaosSettings } from "./chaos.ts";
import { messageOperations } from "./message-operations.ts";
import { queueOperations } from "./queue-operations.ts";
import { Queues, type QueuesOptions } from "./queues.ts";

/** SQS, standard queues only. */
export class Sqs implements JsonService {
  readonly protocol = "1.0";
  readonly errorPrefix = "com.amazonaws.sqs#";
  readonly operations: Readonly<Record<string, Operation>>;
  /** Requests per operation in this run, refused ones too. */
  readonly counts: Record<string, number> = {};
  readonly #queues: Queues;

  constructor(options: QueuesOptions) {
    this.#queues = new Queues(options);
    this.operations = { ...queueOperations(this.#queues), ...messageOperations(this.#queues) };
  }

  /** Turns the fault knob of all queues; `{ duplicate: 0, shuffle: false, … }` turns it off. */
  chaos(settings: ChaosSettings): void {
    this.#queues.chaos.configure(settings);
  }

  onCall(operation: string): void {
    this.counts[operation] = (this.counts[operation] ?? 0) + 1;
    this.#queues.compactJournal();
  }

  onClockAdvance(): void {
    this.#queues.onClockAdvance();
  }

  close(): void {
    this.#queues.close();
  }
}
