import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { env, queues as queueNames } from "#base/config/names.ts";
import { DEAD_LETTERS_CONCURRENCY } from "../config/concurrency.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, tableVariables } from "./function-context.ts";

/** Stores the messages that no worker could process, and empties the dead letter queues. */
export function createDeadLetters(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const deadLetterQueues = new Set(queueNames.map((name) => queues[name].deadLetters));
  // Of a queue that several have in common, only the message knows its own.
  const isShared = deadLetterQueues.size === 1;
  const queueNamesByPair = queueNames.map((name) => {
    const { queue, deadLetters } = queues[name];
    return [name, (isShared ? queue : deadLetters).queueName];
  });
  const deadLetters = new Worker(scope, "DeadLetters", {
    description: "Parley: stores the messages that could not be processed",
    code: code("DeadLetters"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      [isShared ? env.sourceQueues : env.deadLetterQueues]: Stack.of(scope).toJsonString(
        Object.fromEntries(queueNamesByPair),
      ),
    },
  });
  for (const queue of deadLetterQueues) deadLetters.addQueue(queue, DEAD_LETTERS_CONCURRENCY);
  data.table.allow(deadLetters.functionRole, { actions: ["GetItem", "PutItem", "UpdateItem"] });
  return deadLetters;
}
