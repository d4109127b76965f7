import type { SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { deleteMessages, receiveMessages, succeededMessages, toQueueEvent } from "#local-aws/lambda/batch.ts";
import { toQueueArn } from "../flows/queue-worker.ts";

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
    const messages = await receiveMessages(sqs, { queueUrl: url });
    if (messages.length === 0) {
      emptyReceives++;
      return null;
    }
    return {
      size: messages.length,
      async work() {
        const event = toQueueEvent(messages, toQueueArn(url));
        const succeeded = succeededMessages(messages, await handler(event, { getRemainingTimeInMillis: () => 60_000 }));
        await deleteMessages(sqs, url, succeeded);
        return messages.length - succeeded.length;
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
