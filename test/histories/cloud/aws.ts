import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { QueueName } from "../../../shared/config/names.ts";
import type { Millis } from "../../../shared/kernel/time.ts";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { type Fault, type FaultyOperation, injectFaults } from "../../support/faults.ts";
import { suspendable } from "../../support/world/processes.ts";
import { openWorldTable } from "../../support/world/world-table.ts";
import { Queue, queueClient } from "./queues.ts";
import { bucketClient, keyClient, secretsClient } from "./services.ts";

export type QueueId = QueueName;

/** Six timeouts of the function that reads the queue. */
const visibilities: Readonly<Record<QueueId, Millis>> = {
  Inbound: 3 * MINUTE,
  Events: 6 * MINUTE,
  Deliveries: 6 * MINUTE,
  SlowDeliveries: 6 * MINUTE,
  Profiles: 3 * MINUTE,
  Erasures: 6 * MINUTE,
};
export const queueIds = Object.keys(visibilities) as readonly QueueId[];

export type Aws = ReturnType<typeof openAws>;

/** @param decide waits for the turn of a call and decides its fault */
export function openAws(now: () => Millis, decide: (operation: FaultyOperation) => Promise<Fault>) {
  const table = openWorldTable(now);
  const letters: Queue[] = [];
  const queues = Object.fromEntries(
    queueIds.map((name) => {
      const deadLetters = new Queue({ name: `${name}-dead`, visibility: 3 * MINUTE, deadLetters: null, now });
      letters.push(deadLetters);
      return [name, new Queue({ name, visibility: visibilities[name], deadLetters, now })];
    }),
  ) as Record<QueueId, Queue>;
  const clients = {
    sqs: queueClient([...Object.values(queues), ...letters]),
    kms: keyClient(),
    s3: bucketClient(),
    secrets: secretsClient(),
  };
  const all = [table.client, ...Object.values(clients)];
  suspendable(all);
  for (const client of all) injectFaults(client as DynamoDBClient, decide);
  return { table, queues, deadLetters: letters, ...clients, url: (name: QueueId) => `http://queues/${name}` };
}

/** The timeout of each function, as `lib/functions` declares it. */
export const timeouts = {
  api: 20 * SECOND,
  verify: 20 * SECOND,
  intake: 4 * SECOND,
  ingest: 30 * SECOND,
  deliver: 60 * SECOND,
  profile: 30 * SECOND,
  erase: 60 * SECOND,
  sweep: 50 * SECOND,
  deadLetters: 30 * SECOND,
} as const satisfies Readonly<Record<string, Millis>>;
export type FunctionName = keyof typeof timeouts;
export const functionNames = Object.keys(timeouts) as readonly FunctionName[];
