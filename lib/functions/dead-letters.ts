import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { env, queues as queueNames } from "#base/config/names.ts";
import { DEAD_LETTERS_CONCURRENCY } from "../config/concurrency.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, tableVariables } from "./function-context.ts";

/** Stores the messages that no worker could process, and empties the dead letter queues. */
export function createDeadLetters(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const queueNamesByPair = queueNames.map((name) => [name, queues[name].deadLetters.queueName]);
  const deadLetters = new Worker(scope, "DeadLetters", {
    description: "Parley: stores the messages that could not be processed",
    code: code("DeadLetters"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      [env.deadLetterQueues]: Stack.of(scope).toJsonString(Object.fromEntries(queueNamesByPair)),
    },
  });
  for (const name of queueNames) deadLetters.addQueue(queues[name].deadLetters, DEAD_LETTERS_CONCURRENCY);
  data.table.allow(deadLetters.functionRole, { actions: ["GetItem", "PutItem", "UpdateItem"] });
  return deadLetters;
}
