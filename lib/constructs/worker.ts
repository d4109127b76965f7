import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { NodeFunction } from "./node-function.ts";

const BATCH_SIZE = 10;

/** A function that reads queues, ten messages at a time, and names those that it could not process. */
export class Worker extends NodeFunction {
  /**
   * Feeds the function from a queue with at most `atOnce` invocations side by side. The cap belongs to the queue and
   * not to the function: a function that refuses invocations would use up its messages' receives.
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
