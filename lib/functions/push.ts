import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, queueVariables, tableVariables } from "./function-context.ts";

export function createRealtimeQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Realtime", {
    deadLetters,
    // A frame is pushed within minutes or not at all. A message that closes sockets outlasts the longest connection.
    retention: Duration.days(1),
  });
}

/** Pushes frames to the sockets of tenants. */
export function createPush(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const push = new Worker(scope, "Push", {
    description: "Parley: pushes events and changes to the sockets of tenants",
    code: code("Push"),
    // Processor time comes with the memory. A frame takes about a fifth of a millisecond of a processor, and a batch of ten
    // events makes 1,000 frames for 50 sockets.
    memoryMegabytes: 1_024,
    environment: { ...tableVariables(context), ...queueVariables(context, "Realtime") },
    // A held message that was pushed is pushed again when its time is over.
    sendsToItself: true,
  }).addQueue(queues.Realtime.queue, queueConcurrency(context.settings).Realtime);
  data.table.allow(push.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  });
  queues.Realtime.allowSending(push.functionRole);
  return push;
}
