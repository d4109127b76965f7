import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, queueVariables, tableVariables, uploadBucketVariables } from "./function-context.ts";

export function createErasuresQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Erasures", {
    deadLetters,
    retention: Duration.days(14),
  });
}

/** Completes the erasure of a conversation. */
export function createErase(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const erase = new Worker(scope, "Erase", {
    description: "Parley: completes the erasure of a conversation",
    code: code("Erase"),
    memoryMegabytes: 512,
    environment: {
      ...tableVariables(context),
      ...uploadBucketVariables(context),
      ...queueVariables(context, "Erasures", "Realtime"),
    },
    sendsToItself: true,
  }).addQueue(queues.Erasures.queue, queueConcurrency(context.settings).Erasures);
  data.table.allow(erase.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
  });
  data.uploads.allow(erase.functionRole, "u/", "DeleteObject");
  data.uploads.allow(erase.functionRole, "h/", "DeleteObject");
  queues.Erasures.allowSending(erase.functionRole);
  queues.Realtime.allowSending(erase.functionRole);
  return erase;
}
