import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueUrlCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { type QueueMessage, queueClient, toBatchEntry } from "./queues.ts";

/** A received message that is to be delivered again. */
export interface PostponedMessage {
  readonly receiptHandle: string;
  /** From now. Rounded up to seconds. */
  readonly delay: Millis;
}

const VISIBILITY_SECONDS_MAX = 12 * 60 * 60;

export type ReceivedMessages = ReturnType<typeof openReceivedMessages>;

/** Opens the messages that this process received, of any queue that it may read. */
export function openReceivedMessages(client: SQSClient = queueClient()) {
  client.middlewareStack.use(callScopePlugin);
  const urls = new Map<string, string>();

  async function findUrl(queueArn: string, abortSignal: AbortSignal): Promise<string | undefined> {
    const QueueName = queueArn.split(":").at(-1) ?? "";
    const url =
      urls.get(queueArn) ?? (await client.send(new GetQueueUrlCommand({ QueueName }), { abortSignal })).QueueUrl;
    if (url !== undefined) urls.set(queueArn, url);
    return url;
  }

  return {
    /**
     * Sets when messages of one queue are delivered again, instead of after the queue's visibility timeout. One request
     * for at most ten messages, and one per process and queue that looks up the queue's URL.
     * @returns the error codes of the messages that the queue refused to postpone
     */
    async postpone(
      queueArn: string,
      messages: readonly PostponedMessage[],
      abortSignal: AbortSignal,
    ): Promise<readonly string[]> {
      const QueueUrl = await findUrl(queueArn, abortSignal);
      const Entries = messages.map(({ receiptHandle, delay }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: Math.min(Math.ceil(Math.max(0, delay) / SECOND), VISIBILITY_SECONDS_MAX),
      }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
      const { Failed = [] } = await client.send(command, { abortSignal });
      return Failed.map(({ Code = "unknown" }) => Code);
    },

    /** Sends a message to the queue that a received one came from. Resolves when the queue has stored it. */
    async sendBack(queueArn: string, message: QueueMessage, abortSignal: AbortSignal): Promise<void> {
      const QueueUrl = await findUrl(queueArn, abortSignal);
      await client.send(new SendMessageCommand({ QueueUrl, ...toBatchEntry(message) }), { abortSignal });
    },
  };
}
