import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";

const BATCH = 10;

export type Handler = (
  event: SQSEvent,
  invocation: { getRemainingTimeInMillis(): number },
) => Promise<SQSBatchResponse>;

export interface EventSource {
  /**
   * Hands what is visible to the worker, ten at a time, as an event source does: one receive and one delete for each
   * batch. Throws when the worker wants a record again. @returns how many records it took
   */
  drain(): Promise<number>;
  /** Receives that found nothing so far: a drain's last. They are no part of what a message costs. */
  empty(): number;
}

export function eventSource(sqs: SQSClient, url: string, handler: Handler): EventSource {
  let empty = 0;
  return {
    empty: () => empty,
    async drain() {
      let taken = 0;
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: url,
            MaxNumberOfMessages: BATCH,
            MessageSystemAttributeNames: ["All"],
          }),
        );
        if (Messages.length === 0) {
          empty++;
          return taken;
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
        const answer = await handler({ Records } as unknown as SQSEvent, { getRemainingTimeInMillis: () => 60_000 });
        const again = answer.batchItemFailures.length;
        if (again > 0) throw new Error(`The worker wants ${again} of ${Records.length} records again: see its log.`);
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
        taken += Messages.length;
      }
    },
  };
}
