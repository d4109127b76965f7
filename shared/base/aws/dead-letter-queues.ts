import {
  DeleteMessageBatchCommand,
  type MessageSystemAttributeName,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { callScopePlugin } from "../kernel/call-scope.ts";
import type { Millis } from "../kernel/time.ts";
import { queueClient } from "./queues.ts";

const BATCH_SIZE = 10;
const attributes: MessageSystemAttributeName[] = [
  "ApproximateReceiveCount",
  "DeadLetterQueueSourceArn",
  "MessageGroupId",
  "SentTimestamp",
];

/** A message that a dead-letter queue hides from others for its visibility timeout. */
export interface ReceivedLetter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly group: string | null;
  /** How often it was received, in its queue and in this one. */
  readonly receives: number;
  /** When it was sent to its first queue; 0 if unknown. */
  readonly sentAt: Millis;
  /** The name of the queue that SQS moved it from; null when it was sent to the dead-letter queue itself. */
  readonly movedFrom: string | null;
}

export interface DeadLetterQueue<Name extends string = string> {
  readonly name: Name;
  /** Receives at most ten letters: one request. None does not prove that the queue is empty, because SQS asks some of its servers. */
  receive(): Promise<ReceivedLetter[]>;
  /** Deletes letters of one receive: one request. One that is not deleted is received again. @throws when SQS keeps one */
  remove(letters: readonly ReceivedLetter[]): Promise<void>;
}

/** Opens dead-letter queues to empty them. @param urls the queues' URLs by their names */
export function openDeadLetterQueues<Name extends string>(
  urls: ReadonlyMap<Name, string>,
  client: SQSClient = queueClient(),
): DeadLetterQueue<Name>[] {
  client.middlewareStack.use(callScopePlugin);
  return [...urls].map(([name, QueueUrl]) => ({
    name,
    async receive() {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: BATCH_SIZE,
          MessageSystemAttributeNames: attributes,
          WaitTimeSeconds: 0,
        }),
      );
      return Messages.map(({ MessageId = "", ReceiptHandle = "", Body = "", Attributes = {} }) => ({
        messageId: MessageId,
        receiptHandle: ReceiptHandle,
        body: Body,
        group: Attributes.MessageGroupId ?? null,
        receives: Number(Attributes.ApproximateReceiveCount) || 1,
        sentAt: Number(Attributes.SentTimestamp) || 0,
        movedFrom: Attributes.DeadLetterQueueSourceArn?.split(":").at(-1) ?? null,
      }));
    },
    async remove(letters) {
      const Entries = letters.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
      const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      const [failure] = Failed;
      if (failure) throw new Error(`SQS did not delete a message: ${failure.Code ?? "unknown"}.`);
    },
  }));
}
