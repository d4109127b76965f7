import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { env, type FunctionName, table as names, type QueueName } from "../../shared/config/names.ts";
import type { Settings } from "../config/settings.ts";
import { Alarms } from "../constructs/alarms.ts";
import { HttpApi } from "../constructs/http-api.ts";
import { allowSendingMail } from "../constructs/mail-sender.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import { ownHosts } from "../constructs/own-hosts.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { Schedule } from "../constructs/schedule.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { Worker } from "../constructs/worker.ts";
import type { DataStack } from "./data-stack.ts";

const TIMEOUTS = {
  Api: Duration.seconds(20),
  // The check page's answer waits ten seconds for the platform.
  Verify: Duration.seconds(20),
  // The platforms want their 200 within five seconds.
  Intake: Duration.seconds(4),
  Ingest: Duration.seconds(30),
  Deliver: Duration.seconds(60),
  // A call to a platform ends within ten seconds, and a batch's calls are made side by side.
  Profile: Duration.seconds(30),
  // A pass that takes longer goes on in the next invocation.
  Erase: Duration.seconds(60),
  // Under a minute: one sweep ends before the next begins.
  Sweep: Duration.seconds(50),
  DeadLetters: Duration.seconds(30),
};

const DEAD_LETTERS_CONCURRENCY = 2;
/** The platforms count calls, and a name may be a moment late. */
const PROFILES_CONCURRENCY = 5;
/** Erasing is no hurry, and each invocation writes as fast as one partition of the table takes it. */
const ERASURES_CONCURRENCY = 2;

export interface ServiceStackProps extends StackProps {
  readonly data: DataStack;
  readonly settings: Settings;
  /** The bundle of each function. */
  readonly code: (name: FunctionName) => Code;
}

/** What runs: the HTTP API, the queues and the functions between them. It holds nothing that cannot be built anew. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { data, settings, code, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const { table, key, raw, secrets } = data;

    const pair = (name: QueueName, workerTimeout: Duration, retention: Duration) =>
      new QueuePair(this, name, { workerTimeout, deadLetterTimeout: TIMEOUTS.DeadLetters, retention });
    const inbound = pair("Inbound", TIMEOUTS.Ingest, Duration.days(4));
    const events = pair("Events", TIMEOUTS.Deliver, Duration.days(14));
    const deliveries = pair("Deliveries", TIMEOUTS.Deliver, Duration.days(14));
    // Whoever is not looked up within a day is asked for again when they write.
    const profiles = pair("Profiles", TIMEOUTS.Profile, Duration.days(1));
    const erasures = pair("Erasures", TIMEOUTS.Erase, Duration.days(14));

    const tableName = { [env.table]: table.table.tableName };
    const keyId = { [env.keyId]: key.key.keyId };
    const rawBucket = { [env.rawBucket]: raw.bucket.bucketName };
    const eventsUrl = { [env.eventsQueueUrl]: events.queue.queueUrl };
    const deliveriesUrl = { [env.deliveriesQueueUrl]: deliveries.queue.queueUrl };
    const erasuresUrl = { [env.erasuresQueueUrl]: erasures.queue.queueUrl };
    const platforms = {
      [env.graphVersion]: settings.graphVersion,
      ...(settings.platformUrls === null ? {} : { [env.platformUrls]: settings.platformUrls }),
    };

    const api = new NodeFunction(this, "Api", {
      description: "Parley: the HTTP API",
      code: code("Api"),
      timeout: TIMEOUTS.Api,
      memoryMegabytes: 512,
      ...(settings.apiReservedConcurrency === null ? {} : { reservedConcurrency: settings.apiReservedConcurrency }),
      environment: {
        ...tableName,
        ...keyId,
        ...eventsUrl,
        ...deliveriesUrl,
        ...erasuresUrl,
        [env.rootSecretId]: secrets.root.secretArn,
        ...platforms,
        ...(settings.siteUrl === null ? {} : { [env.siteUrl]: settings.siteUrl }),
      },
    });
    table.allow(api.functionRole, {
      actions: [
        "GetItem",
        "BatchGetItem",
        "Query",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "BatchWriteItem",
        // What is held is held for a conversation that stands.
        "ConditionCheckItem",
      ],
      indexes: [names.feedIndex.name, names.idIndex.name, names.failingIndex.name],
    });
    key.allowEncrypt(api.functionRole);
    key.allowDecrypt(api.functionRole);
    events.allowSending(api.functionRole);
    deliveries.allowSending(api.functionRole);
    erasures.allowSending(api.functionRole);
    allowReading(secrets.root, api.functionRole);

    const verify = new NodeFunction(this, "Verify", {
      description: "Parley: the page on which a person checks a held message",
      code: code("Verify"),
      timeout: TIMEOUTS.Verify,
      memoryMegabytes: 256,
      environment: { ...tableName, ...keyId, ...eventsUrl, [env.rootSecretId]: secrets.root.secretArn, ...platforms },
    });
    table.allow(verify.functionRole, { actions: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] });
    key.allowDecrypt(verify.functionRole);
    events.allowSending(verify.functionRole);
    allowReading(secrets.root, verify.functionRole);

    const intake = new NodeFunction(this, "Intake", {
      description: "Parley: takes the platforms' webhooks",
      code: code("Intake"),
      timeout: TIMEOUTS.Intake,
      memoryMegabytes: 256,
      environment: {
        ...rawBucket,
        [env.inboundQueueUrl]: inbound.queue.queueUrl,
        [env.platformSecretId]: secrets.platforms.secretArn,
      },
    });
    inbound.allowSending(intake.functionRole);
    raw.allow(intake.functionRole, "inbound/", "PutObject");
    allowReading(secrets.platforms, intake.functionRole);

    const ingest = new Worker(this, "Ingest", {
      description: "Parley: records what the platforms sent",
      code: code("Ingest"),
      timeout: TIMEOUTS.Ingest,
      memoryMegabytes: 512,
      environment: { ...tableName, ...rawBucket, ...eventsUrl, [env.profilesQueueUrl]: profiles.queue.queueUrl },
    }).addQueue(inbound.queue, settings.concurrency.inbound);
    table.allow(ingest.functionRole, {
      actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      // A change names its message by the platform's id.
      indexes: [names.idIndex.name],
    });
    raw.allow(ingest.functionRole, "inbound/", "GetObject", "DeleteObject");
    raw.allow(ingest.functionRole, "raw/", "PutObject");
    raw.allowListing(ingest.functionRole);
    events.allowSending(ingest.functionRole);
    profiles.allowSending(ingest.functionRole);

    const deliver = new Worker(this, "Deliver", {
      description: "Parley: delivers events to the tenants' webhook endpoints",
      code: code("Deliver"),
      timeout: TIMEOUTS.Deliver,
      memoryMegabytes: 512,
      environment: {
        ...tableName,
        ...keyId,
        ...eventsUrl,
        ...deliveriesUrl,
        ...(settings.mailFrom === null ? {} : { [env.mailFrom]: settings.mailFrom }),
      },
      // What waited for an endpoint is handed out page by page.
      sendsToItself: true,
    })
      .addQueue(events.queue, settings.concurrency.events)
      .addQueue(deliveries.queue, settings.concurrency.deliveries);
    table.allow(deliver.functionRole, {
      actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
      // What waits for an endpoint that is left alone.
      indexes: [names.failingIndex.name],
    });
    if (settings.mailFrom !== null) allowSendingMail(this, deliver.functionRole, settings.mailFrom);
    key.allowDecrypt(deliver.functionRole);
    deliveries.allowSending(deliver.functionRole);
    events.allowSending(deliver.functionRole);

    const profile = new Worker(this, "Profile", {
      description: "Parley: looks up the people who write",
      code: code("Profile"),
      timeout: TIMEOUTS.Profile,
      memoryMegabytes: 256,
      environment: { ...tableName, ...keyId, ...platforms },
    }).addQueue(profiles.queue, PROFILES_CONCURRENCY);
    table.allow(profile.functionRole, { actions: ["GetItem", "UpdateItem"] });
    key.allowDecrypt(profile.functionRole);

    const erase = new Worker(this, "Erase", {
      description: "Parley: ends the erasing of a conversation",
      code: code("Erase"),
      timeout: TIMEOUTS.Erase,
      memoryMegabytes: 512,
      environment: { ...tableName, ...erasuresUrl },
      sendsToItself: true,
    }).addQueue(erasures.queue, ERASURES_CONCURRENCY);
    table.allow(erase.functionRole, {
      actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
    });
    erasures.allowSending(erase.functionRole);

    const sweep = new NodeFunction(this, "Sweep", {
      description: "Parley: each minute, what has become due",
      code: code("Sweep"),
      timeout: TIMEOUTS.Sweep,
      memoryMegabytes: 256,
      environment: { ...tableName, ...deliveriesUrl, ...eventsUrl },
    });
    // What a sender left open is ended in its place: kept, shown, announced.
    table.allow(sweep.functionRole, {
      actions: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      // Held messages whose time is over.
      indexes: [names.feedIndex.name],
    });
    deliveries.allowSending(sweep.functionRole);
    events.allowSending(sweep.functionRole);
    new Schedule(this, "EachMinute", { every: Duration.minutes(1), target: sweep });

    const pairs = [inbound, events, deliveries, profiles, erasures];
    const deadLetters = new Worker(this, "DeadLetters", {
      description: "Parley: sets aside what could not be processed",
      code: code("DeadLetters"),
      timeout: TIMEOUTS.DeadLetters,
      memoryMegabytes: 256,
      environment: {
        ...tableName,
        [env.deadLetterQueues]: this.toJsonString(
          Object.fromEntries(pairs.map((each) => [each.node.id, each.deadLetters.queueName])),
        ),
      },
    });
    for (const each of pairs) deadLetters.addQueue(each.deadLetters, DEAD_LETTERS_CONCURRENCY);
    table.allow(deadLetters.functionRole, { actions: ["PutItem", "UpdateItem"] });

    const gateway = new HttpApi(this, "HttpApi", { api, verify, intake, throttle: settings.throttle });
    api.addEnvironment(env.baseUrl, settings.baseUrl ?? gateway.url);
    const hosts = ownHosts({ gateway, bucketName: raw.bucket.bucketName, baseUrl: settings.baseUrl });
    for (const caller of [api, deliver]) caller.addEnvironment(env.ownHosts, hosts);
    new Alarms(this, "Alarms", {
      gateway,
      functions: [api, verify, intake, ingest, deliver, profile, erase, sweep, deadLetters],
      deadLetters,
      pairs,
      lowLatency: [inbound, events],
      topicArn: settings.alarmTopicArn,
    });
    new CfnOutput(this, "ApiUrl", { value: gateway.url });
    // What an operator's commands need to send a dead letter again.
    for (const { node, queue } of pairs) new CfnOutput(this, `${node.id}QueueUrl`, { value: queue.queueUrl });
  }
}
