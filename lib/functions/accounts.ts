import { Duration } from "aws-cdk-lib";
import { Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { env, table as names } from "#base/config/names.ts";
import { queueConcurrency } from "../config/concurrency.ts";
import { ACCOUNTS_NEED_ATTENTION } from "../constructs/monitoring/alarm-metrics.ts";
import { eventPattern, logMetric } from "../constructs/monitoring/log-metric.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { Worker } from "../constructs/worker.ts";
import {
  type FunctionContext,
  journalVariables,
  keyVariables,
  loginVariables,
  platformVariables,
  queueVariables,
  rawBucketVariables,
  rootSecretVariables,
  tableVariables,
  uploadBucketVariables,
} from "./function-context.ts";

/** A task calls a platform, and some make many calls. */
const BATCH_SIZE = 1;

export function createAccountsQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Accounts", {
    deadLetters,
    retention: Duration.days(14),
  });
}

/** Completes connections and disconnections of accounts. */
export function createAccounts(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const accounts = new Worker(scope, "Account", {
    description: "Parley: connects, checks and disconnects accounts in the background",
    code: code("Account"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...journalVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Accounts", "Events", "Erasures", "Inbound", "Mails", "Realtime"),
      ...rawBucketVariables(context),
      ...platformVariables(context),
      ...rootSecretVariables(context),
      ...uploadBucketVariables(context),
      ...loginVariables(context),
      [env.accountChecks]: context.settings.accountChecks,
    },
    sendsToItself: true,
  }).addQueue(queues.Accounts.queue, queueConcurrency(context.settings).Accounts, { batchSize: BATCH_SIZE });
  data.table.allow(accounts.functionRole, {
    actions: [
      "GetItem",
      "BatchGetItem",
      "Query",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "BatchWriteItem",
      "ConditionCheckItem",
    ],
    // The inbox, by which a data deletion finds the conversations of an account.
    indexes: [names.feedIndex.name],
  });
  // A refreshed token is sealed.
  data.key.allowEncrypt(accounts.functionRole, "account-token");
  data.key.allowDecrypt(accounts.functionRole, "account-token");
  allowReading(data.secrets.platforms, accounts.functionRole);
  queues.Accounts.allowSending(accounts.functionRole);
  queues.Events.allowSending(accounts.functionRole);
  queues.Erasures.allowSending(accounts.functionRole);
  queues.Realtime.allowSending(accounts.functionRole);
  // A data deletion erases conversations with the files of their uploads, and derives its confirmation code.
  data.uploads.allow(accounts.functionRole, "u/", "DeleteObject");
  data.uploads.allow(accounts.functionRole, "h/", "DeleteObject");
  data.journal.allow(accounts.functionRole, "acts/", "PutObject");
  allowReading(data.secrets.root, accounts.functionRole);
  // The messages of a backfill are queued as webhooks.
  queues.Inbound.allowSending(accounts.functionRole);
  data.raw.allow(accounts.functionRole, "inbound/", "PutObject");
  queues.Mails.allowSending(accounts.functionRole);
  // An account whose subscription was missing got no webhooks: its messages came late.
  logMetric(scope, "AccountResubscribed", {
    stage: context.stage,
    name: "AccountResubscribed",
    logGroup: accounts.logGroup,
    pattern: eventPattern("account.resubscribed"),
    unit: Unit.COUNT,
  });
  // Only a person can give its access back.
  logMetric(scope, ACCOUNTS_NEED_ATTENTION, {
    stage: context.stage,
    name: ACCOUNTS_NEED_ATTENTION,
    logGroup: accounts.logGroup,
    pattern: FilterPattern.all(
      eventPattern("account.checked"),
      FilterPattern.any(
        FilterPattern.stringValue("$.status", "=", "needs_reauth"),
        FilterPattern.stringValue("$.status", "=", "restricted"),
      ),
    ),
    unit: Unit.COUNT,
  });
  return accounts;
}
