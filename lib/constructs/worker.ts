import { Duration } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { NodeFunction } from "./node-function.ts";

interface QueueOptions {
  /** How long an invocation waits for more messages. Default: not at all. */
  readonly maxBatchingWindow?: Duration;
  /** Default: 10. */
  readonly batchSize?: number;
}

/** A function that reads queues in batches and returns the ids of the messages that failed. */
export class Worker extends NodeFunction {
  /**
   * Adds a queue with at most `maxConcurrency` concurrent invocations. The limit is on the event source and not on the
   * function, because a throttled invocation counts as a receive of its messages.
   */
  addQueue(
    queue: Queue,
    maxConcurrency: number,
    { maxBatchingWindow = Duration.seconds(0), batchSize = 10 }: QueueOptions = {},
  ): this {
    this.addEventSource(
      new SqsEventSource(queue, {
        batchSize,
        maxConcurrency,
        maxBatchingWindow,
        reportBatchItemFailures: true,
      }),
    );
    return this;
  }
}
