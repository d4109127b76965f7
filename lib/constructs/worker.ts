import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { NodeFunction } from "./node-function.ts";

const BATCH_SIZE = 10;

/** A function that reads queues in batches of ten and returns the ids of the messages that failed. */
export class Worker extends NodeFunction {
  /**
   * Adds a queue with at most `maxConcurrency` concurrent invocations. The limit is on the event source and not on the
   * function, because a throttled invocation counts as a receive of its messages.
   */
  addQueue(queue: Queue, maxConcurrency: number): this {
    this.addEventSource(
      new SqsEventSource(queue, {
        batchSize: BATCH_SIZE,
        maxConcurrency: maxConcurrency,
        reportBatchItemFailures: true,
      }),
    );
    return this;
  }
}
