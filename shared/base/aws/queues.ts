import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { forEachConcurrent } from "../kernel/parallel.ts";
import { ServiceUnavailable } from "../kernel/service-fault.ts";
import { type Millis, SECOND } from "../kernel/time.ts";

/** A message for a queue. Only the inbound queue carries content. */
export interface QueueMessage {
  readonly body: string;
  /** A fair queue serves a group that holds many messages in flight after the others, so that it does not delay them. */
  readonly group?: string;
  /** At most 15 minutes. */
  readonly delay?: Millis;
}

const BATCH_MAX = 10;
const REQUESTS_AT_ONCE = 10;
const BATCH_BYTES_MAX = 1_000_000;

export type Queue = ReturnType<typeof openQueue>;

/** Opens a queue for sending. @param url the queue's URL */
export function openQueue(url: string, client: SQSClient = queueClient()) {
  client.middlewareStack.use(callScopePlugin);
  return {
    /** The last part of the queue's ARN. */
    name: url.split("/").at(-1) ?? "",

    /** Sends one message. Resolves when the queue has stored it. */
    async send(message: QueueMessage): Promise<void> {
      await client.send(new SendMessageCommand({ QueueUrl: url, ...toBatchEntry(message) }));
    },

    /**
     * Sends ten messages per request and ten requests concurrently, in no order. Throws when the queue refuses any message:
     * the caller then repeats all of them.
     */
    async sendAll(messages: readonly QueueMessage[]): Promise<void> {
      await forEachConcurrent([...toBatches(messages)], REQUESTS_AT_ONCE, async (batch) => {
        const { Failed = [] } = await client.send(
          new SendMessageBatchCommand({
            QueueUrl: url,
            Entries: batch.map((message, index) => ({ Id: String(index), ...toBatchEntry(message) })),
          }),
        );
        if (Failed.length === 0) return;
        const message = `The queue refused ${Failed.length} messages: ${Failed[0]?.Code}.`;
        throw Failed.some(({ SenderFault }) => SenderFault) ? new Error(message) : new ServiceUnavailable(message);
      });
    },
  };
}

/** A message as the requests of the queue name it. */
export function toBatchEntry(message: QueueMessage) {
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

/**
 * Region, endpoint and credentials come from the environment. A message whose answer was lost is sent again: its receiver
 * may get it twice, as it may any message.
 * @param timeout of one attempt of a request
 */
export function queueClient(timeout: Millis = requestTimeouts.queues): SQSClient {
  return new SQSClient(requestOptions(timeout));
}
