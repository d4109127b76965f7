import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { forEachConcurrent } from "../kernel/parallel.ts";
import { type Millis, SECOND } from "../kernel/time.ts";

/** A message for a queue: keys and tokens, never content. */
export interface QueueMessage {
  readonly body: string;
  /** Fair queues keep one busy group from holding up the others. */
  readonly group?: string;
  /** At most 15 minutes. */
  readonly delay?: Millis;
}

const BATCH_MAX = 10;
const REQUESTS_AT_ONCE = 10;
const VISIBILITY_SECONDS_MAX = 12 * 60 * 60;
const BATCH_BYTES_MAX = 1_000_000;

export type Queue = ReturnType<typeof openQueue>;

/** One queue that is sent to. @param url the queue's URL */
export function openQueue(url: string, client: SQSClient = defaultClient()) {
  return {
    /** One request. Resolves once the queue has the message. */
    async send(message: QueueMessage): Promise<void> {
      await client.send(new SendMessageCommand({ QueueUrl: url, ...toBatchEntry(message) }));
    },

    /** Makes a message that was received come again after `after`, instead of after the queue's own time-out. */
    async postpone(receiptHandle: string, delay: Millis): Promise<void> {
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: url,
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: Math.min(Math.ceil(delay / SECOND), VISIBILITY_SECONDS_MAX),
        }),
      );
    },

    /**
     * Ten to a request, and ten requests at once, in no order. Throws when any message was not taken: the whole source is
     * then repeated.
     */
    async sendAll(messages: readonly QueueMessage[]): Promise<void> {
      await forEachConcurrent([...toBatches(messages)], REQUESTS_AT_ONCE, async (batch) => {
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: url,
            Entries: batch.map((message, index) => ({ Id: String(index), ...toBatchEntry(message) })),
          }),
        );
        if (Failed.length > 0) throw new Error(`The queue refused ${Failed.length} messages: ${Failed[0]?.Code}.`);
      });
    },
  };
}

function toBatchEntry(message: QueueMessage) {
  return {
    MessageBody: message.body,
    MessageGroupId: message.group,
    DelaySeconds: message.delay === undefined ? undefined : Math.ceil(Math.max(0, message.delay) / SECOND),
  };
}

function* toBatches(messages: readonly QueueMessage[]): Generator<QueueMessage[]> {
  let batch: QueueMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body);
    if (batch.length === BATCH_MAX || (batch.length > 0 && bytes + size > BATCH_BYTES_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function defaultClient(): SQSClient {
  return new SQSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 } });
}
