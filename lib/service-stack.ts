import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { env, table as names } from "../shared/config/names.ts";
import { Alarms } from "./constructs/alarms.ts";
import { HttpApi } from "./constructs/http-api.ts";
import { NodeFunction } from "./constructs/node-function.ts";
import { QueuePair } from "./constructs/queue-pair.ts";
import { Schedule } from "./constructs/schedule.ts";
import { allowReading } from "./constructs/service-secrets.ts";
import { Worker } from "./constructs/worker.ts";
import type { DataStack } from "./data-stack.ts";
import type { Settings } from "./settings.ts";

const TIMEOUTS = {
  Api: Duration.seconds(20),
  // The platforms want their 200 within five seconds.
  Intake: Duration.seconds(4),
  Ingest: Duration.seconds(30),
  Deliver: Duration.seconds(60),
  // Under a minute: one sweep ends before the next begins.
  Sweep: Duration.seconds(50),
  DeadLetters: Duration.seconds(30),
};

const DEAD_LETTERS_AT_ONCE = 2;

export interface ServiceStackProps extends StackProps {
  readonly data: DataStack;
  readonly settings: Settings;
}

/** What runs: the HTTP API, the queues and the functions between them. It holds nothing that cannot be built anew. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { data, settings, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const { table, key, raw, secrets } = data;

    const pair = (name: string, workerTimeout: Duration, retention: Duration) =>
      new QueuePair(this, name, { workerTimeout, deadLetterTimeout: TIMEOUTS.DeadLetters, retention });
    const inbound = pair("Inbound", TIMEOUTS.Ingest, Duration.days(4));
    const events = pair("Events", TIMEOUTS.Deliver, Duration.days(14));
    const deliveries = pair("Deliveries", TIMEOUTS.Deliver, Duration.days(14));

    const tableName = { [env.table]: table.table.tableName };
    const keyId = { [env.keyId]: key.key.keyId };
    const rawBucket = { [env.rawBucket]: raw.bucket.bucketName };
    const eventsUrl = { [env.eventsQueueUrl]: events.queue.queueUrl };
    const deliveriesUrl = { [env.deliveriesQueueUrl]: deliveries.queue.queueUrl };

    const api = new NodeFunction(this, "Api", {
      description: "Parley: the HTTP API",
      timeout: TIMEOUTS.Api,
      memoryMegabytes: 512,
      ...(settings.apiReservedConcurrency === null ? {} : { reservedConcurrency: settings.apiReservedConcurrency }),
      environment: {
        ...tableName,
        ...keyId,
        ...eventsUrl,
        [env.rootSecretId]: secrets.root.secretArn,
        [env.graphVersion]: settings.graphVersion,
        ...(settings.siteUrl === null ? {} : { [env.siteUrl]: settings.siteUrl }),
        ...(settings.platformUrls === null ? {} : { [env.platformUrls]: settings.platformUrls }),
      },
    });
    table.allow(api.functionRole, {
      actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
      indexes: [names.feedIndex.name, names.idIndex.name],
    });
    key.allowEncrypt(api.functionRole);
    key.allowDecrypt(api.functionRole);
    events.allowSending(api.functionRole);
    allowReading(secrets.root, api.functionRole);

    const intake = new NodeFunction(this, "Intake", {
      description: "Parley: takes the platforms' webhooks",
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
      timeout: TIMEOUTS.Ingest,
      memoryMegabytes: 512,
      environment: { ...tableName, ...rawBucket, ...eventsUrl },
    }).reads(inbound.queue, settings.concurrency.inbound);
    table.allow(ingest.functionRole, { actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"] });
    raw.allow(ingest.functionRole, "inbound/", "GetObject", "DeleteObject");
    raw.allow(ingest.functionRole, "raw/", "PutObject");
    raw.allowListing(ingest.functionRole);
    events.allowSending(ingest.functionRole);

    const deliver = new Worker(this, "Deliver", {
      description: "Parley: delivers events to the tenants' webhook endpoints",
      timeout: TIMEOUTS.Deliver,
      memoryMegabytes: 512,
      environment: { ...tableName, ...keyId, ...deliveriesUrl },
    })
      .reads(events.queue, settings.concurrency.events)
      .reads(deliveries.queue, settings.concurrency.deliveries);
    table.allow(deliver.functionRole, { actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"] });
    key.allowDecrypt(deliver.functionRole);
    deliveries.allowSending(deliver.functionRole);

    const sweep = new NodeFunction(this, "Sweep", {
      description: "Parley: each minute, what has become due",
      timeout: TIMEOUTS.Sweep,
      memoryMegabytes: 256,
      environment: { ...tableName, ...deliveriesUrl },
    });
    table.allow(sweep.functionRole, { actions: ["GetItem", "Query", "UpdateItem"] });
    deliveries.allowSending(sweep.functionRole);
    new Schedule(this, "EachMinute", { every: Duration.minutes(1), runs: sweep });

    const pairs = [inbound, events, deliveries];
    const deadLetters = new Worker(this, "DeadLetters", {
      description: "Parley: sets aside what could not be processed",
      timeout: TIMEOUTS.DeadLetters,
      memoryMegabytes: 256,
      environment: tableName,
    });
    for (const each of pairs) deadLetters.reads(each.deadLetters, DEAD_LETTERS_AT_ONCE);
    table.allow(deadLetters.functionRole, { actions: ["PutItem", "UpdateItem"] });

    const gateway = new HttpApi(this, "HttpApi", { api, intake, throttle: settings.throttle });
    new Alarms(this, "Alarms", {
      gateway,
      functions: [api, intake, ingest, deliver, sweep, deadLetters],
      deadLetters,
      pairs,
      prompt: [inbound, events],
      topicArn: settings.alarmTopicArn,
    });
    new CfnOutput(this, "ApiUrl", { value: gateway.url });
  }
}
