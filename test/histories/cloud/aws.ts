import type { ApiGatewayManagementApiClient } from "@aws-sdk/client-apigatewaymanagementapi";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DEAD_LETTER_VISIBILITY, queueReaders, visibilityTimeout } from "#base/config/function-times.ts";
import { type QueueName, queues as queueNames } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Fault, type FaultyOperation, injectFaults } from "../../support/faults.ts";
import { suspendable } from "../../support/world/processes.ts";
import { openWorldTable } from "../../support/world/world-table.ts";
import { openBucket } from "./bucket.ts";
import { recordPermissions } from "./permissions.ts";
import { Queue, queueClient } from "./queues.ts";
import { openSecrets } from "./secrets.ts";
import { keyClient } from "./services.ts";

export type QueueId = QueueName;

export const queueIds = queueNames;

export type Aws = ReturnType<typeof openAws>;

interface Options {
  readonly now: () => Millis;
  /** Of the gateway's management API. */
  readonly connections: ApiGatewayManagementApiClient;
  /** Waits for the turn of a call and decides its fault. */
  readonly decide: (operation: FaultyOperation) => Promise<Fault>;
}

export function openAws({ now, connections, decide }: Options) {
  const table = openWorldTable(now);
  const letters: Queue[] = [];
  const queues = Object.fromEntries(
    queueIds.map((name) => {
      const deadLetters = new Queue({
        name: `${name}-dead`,
        visibility: DEAD_LETTER_VISIBILITY,
        deadLetters: null,
        now,
      });
      letters.push(deadLetters);
      return [name, new Queue({ name, visibility: visibilityTimeout(queueReaders[name]), deadLetters, now })];
    }),
  ) as Record<QueueId, Queue>;
  const bucket = openBucket(now);
  const secrets = openSecrets(now);
  const clients = {
    sqs: queueClient([...Object.values(queues), ...letters]),
    kms: keyClient(),
    s3: bucket.client,
    secrets: secrets.client,
    connections,
  };
  const all = [table.client, ...Object.values(clients)];
  suspendable(all);
  for (const client of all) {
    injectFaults(client as DynamoDBClient, (operation) => {
      recordPermissions(operation);
      return decide(operation);
    });
  }
  return {
    table,
    objects: bucket.objects,
    queues,
    deadLetters: letters,
    ...clients,
    url: (name: QueueId) => `http://queues/${name}`,
  };
}
