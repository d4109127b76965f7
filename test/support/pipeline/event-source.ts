import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";

const BATCH = 10;

export type Handler = (
  event: SQSEvent,
  invocation: { getRemainingTimeInMillis(): number },
) => Promise<SQSBatchResponse>;

/** Messages that were received together. */
export interface Batch {
  readonly size: number;
  /** Runs the worker on them and deletes those that are done. @returns the number of messages to retry */
  work(): Promise<number>;
}

export interface EventSource {
  /** One receive of at most ten messages; null when none is visible. */
  next(): Promise<Batch | null>;
  /**
   * Runs the worker on all visible messages, batch by batch. Throws when the worker reports a record to retry.
   * @returns the number of records
   */
  drain(): Promise<number>;
  /** Receives that returned nothing so far: the last one of each drain. They do not count as the cost of a message. */
  emptyReceives(): number;
}

/** Works like an event source: one receive and one delete for each batch. */
export function eventSource(sqs: SQSClient, url: string, handler: Handler): EventSource {
  let emptyReceives = 0;
  async function next(): Promise<Batch | null> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: BATCH,
        MessageSystemAttributeNames: ["All"],
      }),
    );
    if (Messages.length === 0) {
      emptyReceives++;
      return null;
    }
    const Records = Messages.map(({ MessageId = "", ReceiptHandle = "", Body = "", Attributes = {} }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
      messageAttributes: {},
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${url.split("/").at(-1)}`,
      awsRegion: "us-east-1",
    }));
    return {
      size: Messages.length,
      async work() {
        const answer = await handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 60_000 });
        const failedIds = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        const Entries = Messages.filter(({ MessageId = "" }) => !failedIds.has(MessageId)).map(
          ({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }),
        );
        if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
        return failedIds.size;
      },
    };
  }
  return {
    next,
    emptyReceives: () => emptyReceives,
    async drain() {
      let handled = 0;
      for (let batch = await next(); batch; batch = await next()) {
        const failed = await batch.work();
        if (failed > 0)
          throw new Error(`The worker reported ${failed} of ${batch.size} records to retry. See its log.`);
        handled += batch.size;
      }
      return handled;
    },
  };
}
