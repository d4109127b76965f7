import { join } from "node:path";
import type { Millis } from "../../support/time.ts";
import { Journal, readJournal } from "../journal.ts";
import { ServiceError } from "../service-error.ts";
import { type Attributes, defaultAttributes, mergeAttributes, parseRedrive } from "./attributes.ts";
import { Chaos } from "./chaos.ts";
import { Queue, type QueueHost } from "./queue.ts";
import { type QueueSettings, type QueueSnapshot, replay, type SqsRecord, snapshotRecords } from "./records.ts";

export interface QueuesOptions {
  readonly dataDir: string;
  readonly now: () => Millis;
  readonly region: string;
  readonly accountId: string;
  /** The emulator's origin. It may change between runs. */
  readonly origin: string;
}

/** The queues and their journal, `sqs.jsonl`. */
export class Queues implements QueueHost {
  readonly chaos = new Chaos();
  readonly now: () => Millis;
  readonly #options: QueuesOptions;
  readonly #journal: Journal<SqsRecord>;
  readonly #queues = new Map<string, Queue>();

  constructor(options: QueuesOptions) {
    this.#options = options;
    this.now = options.now;
    const file = join(options.dataDir, "sqs.jsonl");
    for (const [name, snapshot] of replay(readJournal<SqsRecord>(file))) this.#open(name, snapshot);
    this.#journal = new Journal(file, this.#records());
  }

  record(...records: SqsRecord[]): void {
    this.#journal.append(...records);
  }

  /** Shortens the journal if it has grown enough. Call it only between calls: a queue records before it changes. */
  compactJournal(): void {
    if (this.#journal.needsRewrite) this.#journal.rewrite(this.#records());
  }

  list(): Queue[] {
    return [...this.#queues.values()];
  }

  /** Finds a queue by name, or by a URL of this or an earlier run: only the last segment counts. */
  find(nameOrUrl: string): Queue | undefined {
    return this.#queues.get(nameOrUrl.slice(nameOrUrl.lastIndexOf("/") + 1));
  }

  get(nameOrUrl: string): Queue {
    const queue = this.find(nameOrUrl);
    if (queue) return queue;
    throw new ServiceError("QueueDoesNotExist", "The specified queue does not exist.", {
      queryCode: "AWS.SimpleQueueService.NonExistentQueue",
    });
  }

  queueByArn(arn: string): Queue | undefined {
    return this.list().find((queue) => queue.arn === arn);
  }

  url(queue: Queue): string {
    return `${this.#options.origin}/${this.#options.accountId}/${queue.name}`;
  }

  create(name: string, attributes: Attributes, tags: Readonly<Record<string, string>>): Queue {
    this.#checkTarget(attributes);
    const now = this.now();
    const merged = mergeAttributes(defaultAttributes, attributes);
    const settings: QueueSettings = { attributes: merged, tags, createdAt: now, modifiedAt: now };
    this.record({ op: "queue", queue: name, settings });
    return this.#open(name, { settings, messages: new Map() });
  }

  configure(queue: Queue, change: { attributes?: Attributes; tags?: Readonly<Record<string, string>> }): void {
    const { settings } = queue;
    this.#checkTarget(change.attributes ?? {});
    const updated: QueueSettings = {
      ...settings,
      attributes: mergeAttributes(settings.attributes, change.attributes ?? {}),
      tags: change.tags ?? settings.tags,
      modifiedAt: this.now(),
    };
    this.record({ op: "queue", queue: queue.name, settings: updated });
    queue.configure(updated);
    queue.wake();
  }

  drop(queue: Queue): void {
    this.record({ op: "drop", queue: queue.name });
    this.#queues.delete(queue.name);
    queue.close();
  }

  onClockAdvance(): void {
    for (const queue of this.list()) queue.onClockAdvance();
  }

  close(): void {
    for (const queue of this.list()) queue.close();
    this.#journal.close();
  }

  #open(name: string, snapshot: QueueSnapshot): Queue {
    const { region, accountId } = this.#options;
    const queue = new Queue(name, `arn:aws:sqs:${region}:${accountId}:${name}`, snapshot, this);
    this.#queues.set(name, queue);
    return queue;
  }

  *#records(): Generator<SqsRecord> {
    for (const queue of this.list()) yield* snapshotRecords(queue.name, queue.snapshot());
  }

  #checkTarget(attributes: Attributes): void {
    const redrive = parseRedrive(attributes);
    if (!redrive || this.queueByArn(redrive.targetArn)) return;
    throw new ServiceError(
      "InvalidParameterValue",
      `Value for parameter RedrivePolicy is invalid. Reason: Dead letter target ${redrive.targetArn} does not exist. Create it first.`,
    );
  }
}
