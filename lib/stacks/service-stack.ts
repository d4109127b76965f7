import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Code } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { env, type FunctionName, type QueueName, queues as queueNames } from "#base/config/names.ts";
import type { ExistingResources } from "../config/existing.ts";
import type { Settings } from "../config/settings.ts";
import { DEFAULT_STAGE, metricNamespace } from "../config/stack-names.ts";
import { CloudFront } from "../constructs/front/cloud-front.ts";
import { HttpApi } from "../constructs/http-api.ts";
import { MailSending } from "../constructs/mail-sending.ts";
import { Alarms } from "../constructs/monitoring/alarms.ts";
import { MonthlyBudget } from "../constructs/monitoring/monthly-budget.ts";
import { Overview } from "../constructs/monitoring/overview.ts";
import { OperatorPolicy } from "../constructs/operator-policy.ts";
import { createSharedDeadLetters, type QueuePair } from "../constructs/queue-pair.ts";
import { RealtimeApi } from "../constructs/realtime-api.ts";
import type { StoredData } from "../constructs/stored-data.ts";
import { createAccounts, createAccountsQueue } from "../functions/accounts.ts";
import { createApi } from "../functions/api.ts";
import { createCheckPage } from "../functions/check-page.ts";
import { createConnect } from "../functions/connect.ts";
import { createConsole } from "../functions/console.ts";
import {
  createDeliver,
  createDeliveriesQueue,
  createEventsQueue,
  createSlowDeliveriesQueue,
} from "../functions/deliver.ts";
import { createErase, createErasuresQueue } from "../functions/erase.ts";
import type { FunctionContext } from "../functions/function-context.ts";
import { createHandOver, createUploadsQueue } from "../functions/hand-over.ts";
import { createInboundQueue, createIngest } from "../functions/ingest.ts";
import { createIntake } from "../functions/intake.ts";
import { createMail, createMailsQueue } from "../functions/mail.ts";
import { ownHosts } from "../functions/own-hosts.ts";
import { createProfile, createProfilesQueue } from "../functions/profile.ts";
import { createPush, createRealtimeQueue } from "../functions/push.ts";
import { createSocket } from "../functions/realtime.ts";
import { createSweep } from "../functions/sweep.ts";
import { createWeb } from "../functions/web.ts";

export interface ServiceStackProps extends StackProps {
  readonly data: StoredData;
  /** The name of the stage, which the names and metrics carry. */
  readonly stage: string;
  readonly settings: Settings;
  /** The bundle of each function. */
  readonly code: (name: FunctionName) => Code;
}

/** What the functions use in place of the data stack's own resources, also while that stack is yet to be updated. */
function existingOutputs(data: StoredData, existing: ExistingResources): (readonly [name: string, value: string])[] {
  const outputs = [
    ["TableName", existing.table, data.table.table.tableName],
    ["UploadBucketName", existing.uploadBucket, data.uploads.bucket.bucketName],
    ["JournalBucketName", existing.journalBucket, data.journal.bucket.bucketName],
    ["KeyId", existing.key, data.key.key.keyId],
    ["RootSecretId", existing.rootSecret, data.secrets.root.secretArn],
    ["PlatformSecretId", existing.platformSecret, data.secrets.platforms.secretArn],
  ] as const;
  return outputs.flatMap(([name, setting, value]) => (setting === null ? [] : [[name, value] as const]));
}

/** The HTTP API, the WebSocket API, the queues and the functions. The stack stores nothing that a new deployment cannot recreate. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { data, stage, settings, code, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const shared = settings.deadLetterQueues === "one" ? createSharedDeadLetters(this) : null;
    const queues: Record<QueueName, QueuePair> = {
      Inbound: createInboundQueue(this, shared),
      Events: createEventsQueue(this, shared),
      Deliveries: createDeliveriesQueue(this, shared),
      SlowDeliveries: createSlowDeliveriesQueue(this, shared),
      Profiles: createProfilesQueue(this, shared),
      Erasures: createErasuresQueue(this, shared),
      Mails: createMailsQueue(this, shared),
      Uploads: createUploadsQueue(this, shared),
      Accounts: createAccountsQueue(this, shared),
      Realtime: createRealtimeQueue(this, shared),
    };
    const mail = settings.mailFrom === null ? null : new MailSending(this, "MailSending", settings.mailFrom);
    const context: FunctionContext = { data, queues, stage, settings, mail, code };
    const api = createApi(this, context);
    const checkPage = createCheckPage(this, context);
    const consoleFunction = createConsole(this, context);
    const connect = createConnect(this, context);
    const web = createWeb(this, context);
    const intake = createIntake(this, context);
    const ingest = createIngest(this, context);
    const deliver = createDeliver(this, context);
    const profile = createProfile(this, context);
    const erase = createErase(this, context);
    const mailer = createMail(this, context);
    const handOverFunction = createHandOver(this, context);
    const accounts = createAccounts(this, context);
    const socket = createSocket(this, context);
    const push = createPush(this, context);
    const sweep = createSweep(this, context);

    const { throttles, domain, cloudFront } = settings;
    const pages = { checkPage, console: consoleFunction, connect, web };
    const ownDomain = cloudFront === null ? domain : null;
    const gateway = new HttpApi(this, "HttpApi", { stage, api, ...pages, intake, throttles, domain: ownDomain });
    const front =
      cloudFront === null
        ? null
        : new CloudFront(this, "CloudFront", { stage, apiId: gateway.apiId, domain, ...cloudFront });
    // Those that count or record the addresses of clients.
    for (const each of [api, checkPage, consoleFunction, connect]) front?.identifyTo(each);
    const apiUrl = front?.url ?? gateway.url;
    const baseUrl = settings.baseUrl ?? apiUrl;
    for (const each of [api, checkPage, consoleFunction, connect, web, intake, mailer]) {
      each.addEnvironment(env.baseUrl, baseUrl);
    }
    for (const each of [api, consoleFunction, connect, socket]) {
      each.addEnvironment(env.consoleUrl, settings.consoleUrl ?? baseUrl);
    }
    const realtime = new RealtimeApi(this, "RealtimeApi", {
      stage,
      socket,
      throttle: throttles.rest,
      domain: settings.realtimeDomain,
    });
    const realtimeUrl = settings.realtimeUrl ?? realtime.url;
    for (const each of [api, consoleFunction, web]) each.addEnvironment(env.realtimeUrl, realtimeUrl);
    for (const each of [socket, push]) {
      each.addEnvironment(env.realtimeEndpoint, realtime.endpoint);
      realtime.allowManaging(each.functionRole);
    }
    const bucketNames = [data.raw, data.uploads, data.journal].map(({ bucket }) => bucket.bucketName);
    const domainUrls = [settings.domain, settings.realtimeDomain].flatMap((domain) =>
      domain === null ? [] : `https://${domain.name}`,
    );
    const publicUrls = [settings.baseUrl, settings.realtimeUrl, ...domainUrls].filter((url) => url !== null);
    const frontHosts = front === null ? [] : [front.host];
    const hosts = ownHosts({ gateways: [gateway, realtime], bucketNames, publicUrls, frontHosts });
    for (const caller of [api, deliver]) caller.addEnvironment(env.ownHosts, hosts);

    const functions = [
      api,
      checkPage,
      consoleFunction,
      connect,
      web,
      intake,
      ingest,
      deliver,
      profile,
      erase,
      mailer,
      handOverFunction,
      accounts,
      socket,
      push,
      sweep,
    ];
    if (stage !== DEFAULT_STAGE) {
      for (const each of functions) each.addEnvironment(env.metricNamespace, metricNamespace(stage));
    }
    const watched = {
      stage,
      gateway,
      functions,
      pairs: queueNames.map((name) => queues[name]),
    };
    new Overview(this, "Overview", {
      ...watched,
      table: data.table.table,
      busiest: [api, intake, ingest, deliver],
    });
    new Alarms(this, "Alarms", {
      ...watched,
      sweep,
      busiest: [ingest, deliver],
      lowLatency: [queues.Inbound, queues.Events, queues.Realtime],
      topicArn: settings.alarmTopicArn,
    });
    if (settings.budget !== null) new MonthlyBudget(this, "MonthlyBudget", settings.budget);
    const operator = new OperatorPolicy(this, "OperatorPolicy", { data, queues, stage, settings });
    new CfnOutput(this, "OperatorPolicyArn", { value: operator.arn });
    new CfnOutput(this, "ApiUrl", { value: apiUrl });
    new CfnOutput(this, "RealtimeUrl", { value: realtime.url });
    for (const [name, value] of existingOutputs(data, settings.existing)) new CfnOutput(this, name, { value });
    // The operator's commands read these, and send a dead letter back to its queue.
    new CfnOutput(this, "BaseUrl", { value: baseUrl });
    if (settings.platformUrls !== null) new CfnOutput(this, "PlatformUrls", { value: settings.platformUrls });
    for (const name of queueNames) new CfnOutput(this, `${name}QueueUrl`, { value: queues[name].queue.queueUrl });
  }
}
