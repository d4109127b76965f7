import { type Message, SQSClient } from "@aws-sdk/client-sqs";
import { RECEIVES_MAX } from "#base/config/function-times.ts";
import type { Millis } from "#base/kernel/time.ts";
import { SECOND } from "#base/kernel/time.ts";
import { inProcess, inProcessSettings } from "../../support/world/sdk-in-process.ts";

/** A message in a queue. It is invisible while a receiver has it. */
export interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly group: string | undefined;
  readonly sentAt: Millis;
  visibleAt: Millis;
  receives: number;
}

interface QueueSettings {
  readonly name: string;
  readonly visibility: Millis;
  /** Gets a message that was received too often. */
  readonly deadLetters: Queue | null;
  readonly now: () => Millis;
}

/** One queue, like those of SQS. */
export class Queue {
  readonly settings: QueueSettings;
  readonly messages: StoredMessage[] = [];
  /** How many of the next received messages are delivered again while the first receiver still runs. */
  repeatsWhileRunning = 0;
  /** How many of the next deleted messages are delivered again after their deletion. */
  repeatsAfterwards = 0;
  /** How many of the next messages count as received too often. */
  buries = 0;
  /** How often a message was received, and how many were sent. */
  readonly counts = { received: 0, sent: 0 };
  /** The bodies of the messages that went to the dead letters. */
  readonly buried: string[] = [];
  #ids = 0;

  get arn(): string {
    return `arn:aws:sqs:us-east-1:000000000000:${this.settings.name}`;
  }

  constructor(settings: QueueSettings) {
    this.settings = settings;
  }

  send(body: string, group: string | undefined, delay: Millis): string {
    const now = this.settings.now();
    const id = `${this.settings.name}-${++this.#ids}`;
    this.counts.sent++;
    this.messages.push({ id, body, group, sentAt: now, visibleAt: now + delay, receives: 0 });
    return id;
  }

  nextVisible(): Millis {
    return Math.min(Infinity, ...this.messages.map(({ visibleAt }) => visibleAt));
  }

  hasVisible(): boolean {
    const now = this.settings.now();
    return this.messages.some(({ visibleAt }) => visibleAt <= now);
  }

  /** Receives messages and hides them. One that was received too often goes to the dead letters instead. */
  receive(max: number): StoredMessage[] {
    const now = this.settings.now();
    const received: StoredMessage[] = [];
    for (const message of this.messages.filter(({ visibleAt }) => visibleAt <= now)) {
      if (received.length === max) break;
      if (this.settings.deadLetters && (message.receives >= RECEIVES_MAX || this.buries > 0)) {
        if (message.receives < RECEIVES_MAX) this.buries--;
        this.buried.push(message.body);
        this.delete(message.id);
        // Its id, its age and its receive count go on, as in SQS.
        this.settings.deadLetters.messages.push({ ...message, visibleAt: now });
        continue;
      }
      message.receives++;
      this.counts.received++;
      const isRepeated = this.repeatsWhileRunning > 0;
      if (isRepeated) this.repeatsWhileRunning--;
      message.visibleAt = now + (isRepeated ? 0 : this.settings.visibility);
      received.push({ ...message });
    }
    return received;
  }

  delete(id: string): void {
    const index = this.messages.findIndex((message) => message.id === id);
    if (index < 0) return;
    if (this.repeatsAfterwards > 0) {
      this.repeatsAfterwards--;
      const message = this.messages[index];
      if (message) message.visibleAt = this.settings.now() + SECOND;
      return;
    }
    this.messages.splice(index, 1);
  }

  setVisibility(id: string, timeout: Millis): void {
    const message = this.messages.find((each) => each.id === id);
    if (message) message.visibleAt = this.settings.now() + timeout;
  }

  /** Received messages as SQS returns them. */
  toReceived(messages: readonly StoredMessage[]): Message[] {
    return messages.map(({ id, body, group, receives, sentAt }) => ({
      MessageId: id,
      ReceiptHandle: id,
      Body: body,
      Attributes: {
        ApproximateReceiveCount: String(receives),
        SentTimestamp: String(sentAt),
        ...(group === undefined ? {} : { MessageGroupId: group }),
      },
    }));
  }
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

interface VisibilityEntry {
  readonly Id: string;
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout: number;
}

/** A client of the SDK for these queues. A queue's URL ends with its name. */
export function queueClient(queues: readonly Queue[]): SQSClient {
  const find = ({ QueueUrl = "" }: { QueueUrl?: string }) => {
    const queue = queues.find(({ settings }) => settings.name === QueueUrl.split("/").at(-1));
    if (!queue) throw new Error(`No queue has the URL ${QueueUrl}.`);
    return queue;
  };
  const send = (queue: Queue, { MessageBody, MessageGroupId, DelaySeconds = 0 }: Omit<Entry, "Id">) =>
    queue.send(MessageBody, MessageGroupId, DelaySeconds * SECOND);
  const operations: Readonly<Record<string, (input: never) => object>> = {
    SendMessage: (input: Entry & { QueueUrl: string }) => ({ MessageId: send(find(input), input) }),
    SendMessageBatch: (input: { QueueUrl: string; Entries: Entry[] }) => ({
      Successful: input.Entries.map((entry) => ({ Id: entry.Id, MessageId: send(find(input), entry) })),
    }),
    GetQueueUrl: ({ QueueName }: { QueueName: string }) => ({ QueueUrl: `http://queues/${QueueName}` }),
    ReceiveMessage: (input: { QueueUrl: string; MaxNumberOfMessages: number }) => {
      const queue = find(input);
      return { Messages: queue.toReceived(queue.receive(input.MaxNumberOfMessages)) };
    },
    DeleteMessageBatch: (input: { QueueUrl: string; Entries: Omit<VisibilityEntry, "VisibilityTimeout">[] }) => {
      const queue = find(input);
      for (const { ReceiptHandle } of input.Entries) queue.delete(ReceiptHandle);
      return { Successful: input.Entries.map(({ Id }) => ({ Id })) };
    },
    ChangeMessageVisibilityBatch: (input: { QueueUrl: string; Entries: VisibilityEntry[] }) => {
      const queue = find(input);
      for (const entry of input.Entries) queue.setVisibility(entry.ReceiptHandle, entry.VisibilityTimeout * SECOND);
      return { Successful: input.Entries.map(({ Id }) => ({ Id })) };
    },
  };
  const settings = inProcessSettings((command, input) => operations[command]?.(input));
  return inProcess(new SQSClient({ ...settings, md5: false }));
}
