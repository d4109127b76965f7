import { Duration } from "aws-cdk-lib";
import { Unit } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { table as names } from "#base/config/names.ts";
import { queueConcurrency } from "../config/concurrency.ts";
import { POSTPONED_WEBHOOK_AGE } from "../constructs/monitoring/alarm-metrics.ts";
import { eventPattern, logMetric } from "../constructs/monitoring/log-metric.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { Worker } from "../constructs/worker.ts";
import { type FunctionContext, queueVariables, rawBucketVariables, tableVariables } from "./function-context.ts";

/** What SQS allows. A webhook on the queue takes at most three quarters of it; a larger one is in the bucket. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

export function createInboundQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Inbound", {
    deadLetters,
    retention: Duration.days(4),
    // A dead letter contains the raw bytes of a webhook.
    deadLetterRetention: Duration.days(7),
    messageBytesMax: MESSAGE_BYTES_MAX,
  });
}

/** Records the messages and changes of the platforms' webhooks. */
export function createIngest(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, settings, code } = context;
  const ingest = new Worker(scope, "Ingest", {
    description: "Parley: records messages from the platforms",
    code: code("Ingest"),
    memoryMegabytes: 512,
    environment: {
      ...tableVariables(context),
      ...rawBucketVariables(context),
      ...queueVariables(context, "Inbound", "Events", "Profiles"),
    },
  }).addQueue(queues.Inbound.queue, queueConcurrency(settings).Inbound);
  data.table.allow(ingest.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    // A change names its message by the platform's id.
    indexes: [names.idIndex.name],
  });
  data.raw.allow(ingest.functionRole, "inbound/", "GetObject", "PutObject", "DeleteObject");
  data.raw.allow(ingest.functionRole, "raw/", "PutObject");
  data.raw.allowListing(ingest.functionRole);
  queues.Inbound.allowSending(ingest.functionRole);
  queues.Events.allowSending(ingest.functionRole);
  queues.Profiles.allowSending(ingest.functionRole);
  // The queue's own age of a message starts again when a new message replaces it.
  logMetric(scope, "PostponedWebhookAge", {
    stage: context.stage,
    name: POSTPONED_WEBHOOK_AGE,
    logGroup: ingest.logGroup,
    pattern: eventPattern("record.postponed"),
    value: "$.age_ms",
    unit: Unit.MILLISECONDS,
  });
  return ingest;
}
