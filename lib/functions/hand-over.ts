import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { Worker } from "../constructs/worker.ts";
import {
  type FunctionContext,
  keyVariables,
  platformVariables,
  queueVariables,
  tableVariables,
  uploadBucketVariables,
} from "./function-context.ts";

/** A call may take 75 seconds, and a batch ends with its slowest call. */
const BATCH_SIZE = 1;

export function createUploadsQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Uploads", {
    deadLetters,
    // An upload that is not handed over within five minutes has failed.
    retention: Duration.days(1),
  });
}

/** Hands uploaded files over to the platforms. */
export function createHandOver(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const handOverFunction = new Worker(scope, "HandOver", {
    description: "Parley: hands uploaded files over to the platforms",
    code: code("HandOver"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Accounts", "Events", "Realtime"),
      ...uploadBucketVariables(context),
      ...platformVariables(context),
    },
  }).addQueue(queues.Uploads.queue, queueConcurrency(context.settings).Uploads, { batchSize: BATCH_SIZE });
  data.table.allow(handOverFunction.functionRole, {
    actions: ["GetItem"],
    // Uploads, owners of attachments, budgets of accounts, bodies of events, and of the tenants' own rows the status of accounts.
    writesUnder: { PutItem: ["E#"], UpdateItem: ["U#", "AT#", "B#", "T#"] },
  });
  data.key.allowDecrypt(handOverFunction.functionRole, "account-token");
  allowReading(data.secrets.platforms, handOverFunction.functionRole);
  // A signed URL acts as its signer, so the platform's request needs the permission to read. HandOver reads nothing itself.
  // Without ListBucket a missing copy is 403 in place of 404: to the platform both are a file that it cannot fetch.
  data.uploads.allow(handOverFunction.functionRole, "h/", "GetObject", "DeleteObject");
  // A refusal may change the status of the account.
  queues.Uploads.allowSending(handOverFunction.functionRole);
  queues.Accounts.allowSending(handOverFunction.functionRole);
  queues.Events.allowSending(handOverFunction.functionRole);
  queues.Realtime.allowSending(handOverFunction.functionRole);
  return handOverFunction;
}
