import { Duration } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { NodeFunction } from "./node-function.ts";

const BATCH_SIZE = 10;

/** A function that reads queues in batches of ten and returns the ids of the messages that failed. */
export class Worker extends NodeFunction {
  /**
   * Adds a queue with at most `maxConcurrency` concurrent invocations. The limit is on the event source and not on the
   * function, because a throttled invocation counts as a receive of its messages. An invocation waits for more messages
   * for at most `maxBatchingWindow`.
   */
  addQueue(queue: Queue, maxConcurrency: number, maxBatchingWindow = Duration.seconds(0)): this {
    this.addEventSource(
      new SqsEventSource(queue, {
        batchSize: BATCH_SIZE,
        maxConcurrency,
        maxBatchingWindow,
        reportBatchItemFailures: true,
      }),
    );
    return this;
  }
}
