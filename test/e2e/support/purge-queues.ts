import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { env, queues, queueUrlNames } from "#base/config/names.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import type { LocalStack } from "./local-stack.ts";

/** Deletes every message of a stack's queues, those of later retries as well. */
export async function purgeQueues({ dataDir }: Pick<LocalStack, "dataDir">): Promise<void> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const sqs = new SQSClient(clientSettings(environment));
  try {
    for (const name of queues) {
      await sqs.send(new PurgeQueueCommand({ QueueUrl: environment[env[queueUrlNames[name]]] }));
    }
  } finally {
    sqs.destroy();
  }
}
