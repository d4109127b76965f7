import { Duration, Stack } from "aws-cdk-lib";
import { Unit } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { backgroundQueues, env, table as names, queues as queueNames } from "#base/config/names.ts";
import { DEAD_LETTERS_ARRIVED, QUEUES_WAITING, WATCH_FINDINGS } from "../constructs/monitoring/alarm-metrics.ts";
import { eventPattern, logMetric } from "../constructs/monitoring/log-metric.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import type { QueuePair } from "../constructs/queue-pair.ts";
import { Schedule } from "../constructs/schedule.ts";
import {
  type FunctionContext,
  keyVariables,
  queueVariables,
  rawBucketVariables,
  tableVariables,
  uploadBucketVariables,
} from "./function-context.ts";

/**
 * Sends what is due to its queue, and continues data deletions, each minute. Every five minutes it stores the messages that
 * no worker could process, from the dead letter queues, and looks at the queues of background work and the key; alarms watch
 * them. Once an hour it deletes raw webhooks and uploaded files and sends the due checks of
 * accounts to their queue, and once a day it looks for deliveries that nothing will attempt.
 */
export function createSweep(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, code } = context;
  const byName = (value: (pair: QueuePair) => string) =>
    Object.fromEntries(queueNames.map((name) => [name, value(queues[name])]));
  const deadLetterArns = [...new Set(queueNames.map((name) => queues[name].deadLetters.queueArn))];
  const sweep = new NodeFunction(scope, "Sweep", {
    description: "Parley: processes what is due, each minute",
    code: code("Sweep"),
    memoryMegabytes: 256,
    runsOnce: true,
    environment: {
      ...tableVariables(context),
      ...keyVariables(context),
      ...rawBucketVariables(context),
      ...uploadBucketVariables(context),
      ...queueVariables(context, "Deliveries", "Events", ...backgroundQueues),
      [env.deadLetterQueueUrls]: Stack.of(scope).toJsonString(byName(({ deadLetters }) => deadLetters.queueUrl)),
      // Of a queue that several have in common, only the message knows its own.
      ...(deadLetterArns.length === 1
        ? { [env.sourceQueues]: Stack.of(scope).toJsonString(byName(({ queue }) => queue.queueName)) }
        : {}),
    },
  });
  data.table.allow(sweep.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query"],
    // The sweep completes a send whose sender crashed: it stores the message or removes it after an erasure, updates the
    // conversation, the budget and the account, and publishes. The transaction that publishes a failed send checks that its
    // record exists. It defers work of a later release, ends holds and data deletions, stores and deletes dead letters,
    // abandons and counts their deliveries, and saves how far it came.
    writesUnder: {
      PutItem: ["CONV#", "E#", "ER#", "Q#", "QUAR#"],
      UpdateItem: ["CONV#", "B#", "T#", "H#", "DD#", "D#", "S#", "Q#", "Q", "QS", "QD"],
      DeleteItem: ["CONV#", "QS#", "QUAR#"],
      ConditionCheckItem: ["CONV#"],
    },
    // Held messages that have expired, and checks of accounts and data deletions that are due.
    indexes: [names.feedIndex.name],
    // Deliveries of every tenant that wait, once a day.
    scans: [names.failingIndex.name],
  });
  data.raw.allow(sweep.functionRole, "inbound/", "DeleteObject");
  data.raw.allow(sweep.functionRole, "raw/", "DeleteObject");
  data.raw.allowListing(sweep.functionRole);
  data.uploads.allow(sweep.functionRole, "u/", "DeleteObject");
  data.uploads.allow(sweep.functionRole, "h/", "DeleteObject");
  data.uploads.allowListing(sweep.functionRole);
  queues.Accounts.allowSending(sweep.functionRole);
  queues.Deliveries.allowSending(sweep.functionRole);
  queues.Erasures.allowSending(sweep.functionRole);
  queues.Events.allowSending(sweep.functionRole);
  sweep.functionRole.addToPrincipalPolicy(
    new PolicyStatement({
      sid: "EmptyDeadLetterQueues",
      actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage"],
      resources: deadLetterArns,
    }),
  );
  sweep.functionRole.addToPrincipalPolicy(
    new PolicyStatement({
      sid: "CountBackgroundMessages",
      actions: ["sqs:GetQueueAttributes"],
      resources: backgroundQueues.map((name) => queues[name].queue.queueArn),
    }),
  );
  data.key.allowDescribe(sweep.functionRole);
  new Schedule(scope, "EachMinute", { every: Duration.minutes(1), target: sweep });
  new Schedule(scope, "Watch", {
    every: Duration.minutes(5),
    target: sweep,
    input: { task: "watch" },
  });
  new Schedule(scope, "EachHour", {
    every: Duration.hours(1),
    target: sweep,
    input: { task: "purge" },
  });
  new Schedule(scope, "AccountHealth", {
    every: Duration.hours(1),
    target: sweep,
    input: { task: "check_accounts" },
  });
  new Schedule(scope, "EachDay", {
    every: Duration.days(1),
    target: sweep,
    input: { task: "reschedule_overdue" },
  });
  logMetric(scope, DEAD_LETTERS_ARRIVED, {
    stage: context.stage,
    name: DEAD_LETTERS_ARRIVED,
    logGroup: sweep.logGroup,
    pattern: eventPattern("dead_letter.quarantined"),
    unit: Unit.COUNT,
  });
  logMetric(scope, WATCH_FINDINGS, {
    stage: context.stage,
    name: WATCH_FINDINGS,
    logGroup: sweep.logGroup,
    pattern: FilterPattern.any(eventPattern("dead_letters.waiting"), eventPattern("key.unusable")),
    unit: Unit.COUNT,
  });
  logMetric(scope, QUEUES_WAITING, {
    stage: context.stage,
    name: QUEUES_WAITING,
    logGroup: sweep.logGroup,
    pattern: eventPattern("queue.waiting"),
    unit: Unit.COUNT,
  });
  return sweep;
}
