import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test, vi } from "vitest";
import { queues } from "#base/config/names.ts";
import { pageFields } from "#platforms/graph/page-accounts.ts";
import { instagramFields } from "#platforms/instagram/instagram.ts";
import { checks } from "../../../../bin/admin/doctor/checks.ts";
import { openContext } from "../../../../bin/admin/doctor/context.ts";
import { type CheckResult, runChecks } from "../../../../bin/admin/doctor/run-checks.ts";
import { openStacks } from "../../../../functions/admin/stacks.ts";
import { concurrencyNeeds } from "../../../../lib/config/concurrency.ts";
import { commandRights } from "../../../../lib/config/operator-rights.ts";
import { parseSettings } from "../../../../lib/config/settings.ts";
import { resourceProperties, resourcesOfType, synthesizeTemplates } from "../../../lib/synth-templates.ts";
import { type FakeAnswers, type FakeAws, openFakeAws } from "./fake-aws.ts";

// `doctor` on a deployment, with a server that answers as AWS, the platform and the deployed API do.

const ACCOUNT = "123456789012";
const REGION = "eu-central-1";
const TOPIC = `arn:aws:sns:${REGION}:${ACCOUNT}:alarms`;
const APP = "151777648186011";
const APP_SECRET = "0123456789abcdef0123456789abcdef";
const ROOT = "r".repeat(64);
const stage = {
  account: ACCOUNT,
  region: REGION,
  metaAppId: APP,
  mailFrom: "parley@mail.example.com",
  alarmTopicArn: TOPIC,
};

const folder = mkdtempSync(join(tmpdir(), "parley-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let aws: FakeAws;
beforeAll(async () => {
  aws = await openFakeAws({});
});
afterAll(() => aws.close());
beforeEach(() => {
  writeStage(stage);
  aws.answers = healthy();
  aws.operations.length = 0;
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
});

function writeStage(settings: object): void {
  writeFileSync(join(folder, "staging.json"), JSON.stringify(settings));
}

const stack = (name: string, outputs: Readonly<Record<string, string>>) => ({
  Stacks: [
    {
      StackName: name,
      StackId: `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/1`,
      CreationTime: "2026-11-28T20:00:00.000Z",
      StackStatus: "UPDATE_COMPLETE",
      Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
    },
  ],
});

const index = (IndexName: string, ...keys: string[]) => ({
  IndexName,
  IndexStatus: "ACTIVE",
  KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? "HASH" : "RANGE" })),
});
const indexes = [index("GS1", "F", "G"), index("GS2", "i"), index("GS3", "W", "SK")];
const table = {
  TableName: "Table",
  TableStatus: "ACTIVE",
  KeySchema: index("", "PK", "SK").KeySchema,
  GlobalSecondaryIndexes: indexes,
  DeletionProtectionEnabled: true,
};

const secret = (value: object | string) => ({
  SecretString: typeof value === "string" ? value : JSON.stringify(value),
});
const row = (object: string, path: string, fields: readonly string[]) => ({
  object,
  callback_url: `${aws.url}/webhooks/${path}`,
  active: true,
  fields: fields.map((name) => ({ name, version: "v26.0" })),
});
const subscriptionsPath = `/v26.0/${APP}/subscriptions`;

function healthy(): FakeAnswers {
  return {
    GetCallerIdentity: { Account: ACCOUNT, UserId: "AIDA", Arn: `arn:aws:iam::${ACCOUNT}:user/ann` },
    GetParameter: { Parameter: { Name: "/cdk-bootstrap/hnb659fds/version", Value: "30" } },
    GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 900 } },
    "DescribeStacks ParleyData-staging": stack("ParleyData-staging", {
      TableName: "Table",
      UploadBucketName: "uploads",
      JournalBucketName: "journal",
      KeyId: "key-1",
      RootSecretId: "Root",
      PlatformSecretId: "Platforms",
    }),
    "DescribeStacks ParleyService-staging": stack("ParleyService-staging", {
      ...Object.fromEntries(queues.map((name) => [`${name}QueueUrl`, `${aws.url}/${ACCOUNT}/${name}`])),
      BaseUrl: aws.url,
      PlatformUrls: JSON.stringify({ facebook_graph: aws.url }),
    }),
    DescribeTable: { Table: table },
    GetItem: {},
    DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: "ENABLED", AttributeName: "x" } },
    DescribeContinuousBackups: {
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: "ENABLED",
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" },
      },
    },
    DescribeKey: { KeyMetadata: { KeyId: "key-1", KeyState: "Enabled" } },
    "GetSecretValue Root": secret(ROOT),
    "GetSecretValue Platforms": secret({
      meta: [APP_SECRET, "older-secret"],
      instagram: "",
      verify_token: "verify-me",
    }),
    GetQueueAttributes: {
      Attributes: {
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: `arn:aws:sqs:${REGION}:${ACCOUNT}:Dead`,
          maxReceiveCount: 10,
        }),
      },
    },
    GetQueueUrl: { QueueUrl: `${aws.url}/${ACCOUNT}/Dead` },
    "GetQueueAttributes Dead": { Attributes: { ApproximateNumberOfMessages: "0" } },
    "/v1/ping": { data: { name: "parley", version: "0.1.0", time: "2026-11-28T20:00:00.000Z" } },
    [`/v26.0/${APP}`]: { id: APP, name: "Acme" },
    [subscriptionsPath]: {
      data: [row("page", "messenger", pageFields), row("instagram", "instagram", instagramFields)],
    },
    GetEmailIdentity: { error: "NotFoundException", status: 404 },
    "GetEmailIdentity example.com": { VerifiedForSendingStatus: true },
    GetAccount: { SendingEnabled: true, ProductionAccessEnabled: true },
    ListSubscriptionsByTopic: { Subscriptions: [{ SubscriptionArn: `${TOPIC}:1`, Protocol: "email" }] },
  };
}

async function diagnose({ only, timeLimit }: { only?: string; timeLimit?: number } = {}): Promise<CheckResult[]> {
  const sources = { shell: { ...process.env, PARLEY_TABLE: undefined }, folder, openStacks };
  const chosen = checks.filter(({ name }) => only === undefined || name === only);
  const results = await runChecks(chosen, await openContext("staging", sources), timeLimit);
  const printed = JSON.stringify(results);
  for (const hidden of [APP_SECRET, ROOT, "older-secret", "verify-me"]) expect(printed).not.toContain(hidden);
  return results;
}

const toLine = (result: CheckResult | undefined) =>
  [result?.status, result?.finding, result !== undefined && "fix" in result ? result.fix : ""].join(" | ");
const lineOf = async (only: string) => toLine((await diagnose({ only }))[0]);

test("a deployment without a fault has every check ok", async () => {
  const results = await diagnose();
  expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(results.map(({ check }) => check)).toEqual(checks.map(({ name }) => name));
});

test("the calls of a deployment without a fault are those that the rights of doctor name, and no others", async () => {
  await diagnose();
  const ofOurs = new Set(Object.keys(healthy()).filter((name) => name.startsWith("/")));
  const calls = aws.operations.map((name) => name.split(" ")[0] ?? "").filter((name) => !ofOurs.has(name));
  const named = Object.values(commandRights.doctor).flatMap((actions) => actions.map((action) => action.split(":")[1]));
  // Each command with `--stage` needs it besides.
  expect([...new Set(calls)].sort()).toEqual([...new Set([...named, "DescribeStacks"])].sort());
});

const policy = (policyJson: object) => ({ Attributes: { RedrivePolicy: JSON.stringify(policyJson) } });

describe("each check names what is wrong and its fix", () => {
  it.each<[string, FakeAnswers, string]>([
    [
      "account",
      { GetCallerIdentity: { Account: "999900001111" } },
      "blocking | Your AWS credentials are of account 999900001111, but stage staging is in 123456789012. | Use credentials of 123456789012, or correct stages/staging.json.",
    ],
    [
      "account",
      { GetCallerIdentity: { error: "ExpiredToken", status: 403 } },
      "blocking | AWS does not accept your credentials (ExpiredToken). | Renew them, and check the region.",
    ],
    [
      "bootstrap",
      { GetParameter: { error: "ParameterNotFound" } },
      "blocking | The account and region are not prepared for the CDK. | Run npx cdk bootstrap aws://123456789012/eu-central-1.",
    ],
    [
      "bootstrap",
      { GetParameter: { Parameter: { Value: "5" } } },
      "blocking | The CDK's bootstrap is older than version 6. | Run npx cdk bootstrap",
    ],
    [
      "bootstrap",
      { GetParameter: { error: "AccessDeniedException" } },
      "warning | Access denied to ssm:GetParameter. | Use credentials that may call ssm:GetParameter.",
    ],
    [
      "concurrency",
      { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 400, UnreservedConcurrentExecutions: 300 } } },
      "warning | Lambda's limit is 400 concurrent executions, but the queues (389) and the reservations (100) may use 489: a busy queue can leave none for the API. | Request a quota L-B99A9384 of Lambda above 489, or lower the settings of concurrency.",
    ],
    [
      "concurrency",
      { GetAccountSettings: { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } } },
      "blocking | Lambda's limit is 10 concurrent executions. It refuses to reserve 100, because less than 100 would remain. | Set size to small, and request a higher quota L-B99A9384 of Lambda.",
    ],
    [
      "stacks",
      { "DescribeStacks ParleyService-staging": { error: "ValidationError" } },
      "warning | Stack ParleyService-staging is not deployed. | Run npx cdk deploy --all -c parley:stage=staging.",
    ],
    [
      "stacks",
      { "DescribeStacks ParleyData-staging": stack("ParleyData-staging", { TableName: "Table" }) },
      "blocking | Stack ParleyData-staging has no output KeyId, UploadBucketName, JournalBucketName, RootSecretId, PlatformSecretId (its status is UPDATE_COMPLETE). | Deploy this version, then try again.",
    ],
    [
      "stacks",
      { "DescribeStacks ParleyData-staging": { error: "AccessDenied", status: 403 } },
      "warning | Access denied to stack ParleyData-staging in region eu-central-1. | Use credentials that may call cloudformation:DescribeStacks.",
    ],
    [
      "table",
      { DescribeTable: { error: "ResourceNotFoundException" } },
      "blocking | The table Table does not exist. | Check the account and the region of your credentials.",
    ],
    [
      "table",
      { GetItem: { Item: { PK: { S: "RESTORE" }, f: { N: "1" } } } },
      "blocking | A restore of the table is not over, so that nothing is sent. | Run npm run admin -- restore --stage staging.",
    ],
    [
      "table",
      { GetItem: { Item: { PK: { S: "RESTORE" }, f: { N: "1" }, e: { N: "2" } } } },
      "ok | The table has its keys and indexes. Recovery and protection are on. | ",
    ],
    [
      "table",
      { DescribeTable: { Table: { ...table, GlobalSecondaryIndexes: indexes.slice(0, 2) } } },
      "blocking | The table has no index GS3 of W and SK. | Run npx cdk deploy --all -c parley:stage=staging.",
    ],
    [
      "table",
      { DescribeTable: { Table: { ...table, GlobalSecondaryIndexes: [index("GS1", "F"), ...indexes.slice(1)] } } },
      "blocking | The table has no index GS1 of F and G.",
    ],
    [
      "table",
      {
        DescribeTable: {
          Table: {
            ...table,
            GlobalSecondaryIndexes: [...indexes.slice(0, 2), { ...index("GS3", "W", "SK"), IndexStatus: "CREATING" }],
          },
        },
      },
      "blocking | The index GS3 is not active (CREATING). | Wait until it is, then try again.",
    ],
    [
      "table",
      { DescribeTable: { Table: { ...table, KeySchema: index("", "id").KeySchema } } },
      "blocking | The table has other keys than Parley's.",
    ],
    [
      "table",
      { DescribeTable: { Table: { ...table, DeletionProtectionEnabled: false } } },
      "warning | The deletion protection of the table is off. | Run aws dynamodb update-table --table-name Table --deletion-protection-enabled.",
    ],
    [
      "table",
      { DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } } },
      "warning | The time to live of the table is off, so that nothing that ended is removed. | Run aws dynamodb update-time-to-live",
    ],
    [
      "table",
      {
        DescribeContinuousBackups: {
          ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "DISABLED" } },
        },
      },
      "warning | The point-in-time recovery of the table is off. | Run aws dynamodb update-continuous-backups",
    ],
    [
      "table",
      { DescribeContinuousBackups: { error: "AccessDeniedException" } },
      "warning | Access denied to dynamodb:DescribeContinuousBackups. |",
    ],
    [
      "key",
      { DescribeKey: { KeyMetadata: { KeyId: "key-1", KeyState: "Disabled" } } },
      "blocking | The key is not enabled (Disabled), so that no account can send. | Run aws kms enable-key --key-id key-1.",
    ],
    [
      "key",
      { DescribeKey: { KeyMetadata: { KeyId: "key-1", KeyState: "PendingDeletion", DeletionDate: 1_796_000_000 } } },
      "blocking | The key is deleted at 2026-11-30T00:53:20.000Z. Then no stored token can be read again. | Run aws kms cancel-key-deletion --key-id key-1, then aws kms enable-key --key-id key-1.",
    ],
    ["key", { DescribeKey: { error: "NotFoundException" } }, "blocking | The key key-1 does not exist."],
    ["key", { DescribeKey: { error: "AccessDeniedException" } }, "warning | Access denied to kms:DescribeKey."],
    ["secrets", { "GetSecretValue Root": secret("short") }, "blocking | The root secret has less than 32 characters."],
    [
      "secrets",
      { "GetSecretValue Platforms": secret({ meta: "", instagram: "", verify_token: "verify-me" }) },
      "blocking | Both app secrets are empty, so that every webhook is refused. | Store it with aws secretsmanager put-secret-value",
    ],
    [
      "secrets",
      { "GetSecretValue Platforms": secret({ meta: "", instagram: APP_SECRET, verify_token: "verify-me" }) },
      "blocking | The secret of the Meta app is empty, so that its webhooks are refused.",
    ],
    [
      "secrets",
      { "GetSecretValue Platforms": secret({ meta: APP_SECRET }) },
      "warning | There is no verify token, so that no callback URL can be registered. | Run npm run admin -- rotate verify-token.",
    ],
    [
      "secrets",
      { "GetSecretValue Platforms": secret(APP_SECRET) },
      "blocking | The platform secrets are no JSON object.",
    ],
    [
      "secrets",
      { "GetSecretValue Platforms": { error: "ResourceNotFoundException" } },
      "blocking | The secret Platforms does not exist.",
    ],
    [
      "secrets",
      { "GetSecretValue Root": { error: "InvalidRequestException" } },
      "blocking | The secret Root is marked as deleted. | Run aws secretsmanager restore-secret --secret-id Root.",
    ],
    [
      "secrets",
      { "GetSecretValue Root": { error: "AccessDeniedException" } },
      "warning | Access denied to secretsmanager:GetSecretValue.",
    ],
    [
      "queues",
      { "GetQueueAttributes Mails": policy({}) },
      "blocking | Queue Mails has no dead letter queue. | Deploy ParleyService again.",
    ],
    [
      "queues",
      { "GetQueueAttributes Mails": { error: "QueueDoesNotExist" } },
      "blocking | Queue Mails or its dead letter queue does not exist.",
    ],
    [
      "queues",
      { "GetQueueAttributes Dead": { Attributes: { ApproximateNumberOfMessages: "3" } } },
      "warning | 3 dead letters of Inbound wait in their queue, where dlq list does not show them.",
    ],
    [
      "version",
      { "/v1/ping": { data: { version: "0.0.9" } } },
      "warning | URL runs version 0.0.9, this checkout is 0.1.0. | Run npx cdk deploy --all -c parley:stage=staging, or check out the deployed version.",
    ],
    [
      "version",
      { "/v1/ping": { httpStatus: 404, message: "Not Found" } },
      "blocking | URL does not answer as Parley does (status 404). | Check the setting baseUrl and the domain in front of the API.",
    ],
    [
      "app",
      {
        [`/v26.0/${APP}`]: {
          httpStatus: 400,
          error: {
            message: `Invalid OAuth access token signature ${APP}|${APP_SECRET}`,
            code: 190,
            type: "OAuthException",
          },
        },
      },
      "blocking | The platform refuses the id 151777648186011 or the secret of the Meta app: ",
    ],
    ["app", { [`/v26.0/${APP}`]: { httpStatus: 500 } }, "warning | The platform did not answer. |"],
    [
      "callbacks",
      { [subscriptionsPath]: { data: [] } },
      "blocking | The app has no callback URL, so that no webhook arrives. | Register URL/webhooks/messenger and URL/webhooks/instagram in the app's dashboard.",
    ],
    [
      "callbacks",
      {
        [subscriptionsPath]: {
          data: [
            {
              object: "page",
              callback_url: "https://old.example.com/webhooks/messenger",
              active: true,
              fields: pageFields,
            },
          ],
        },
      },
      "blocking | The webhooks of page go to https://old.example.com/webhooks/messenger. | Register URL/webhooks/messenger in the app's dashboard.",
    ],
    [
      "mail",
      { "GetEmailIdentity example.com": { VerifiedForSendingStatus: false } },
      "blocking | SES has not verified parley@mail.example.com or its domain, so that no mail is sent.",
    ],
    [
      "mail",
      { GetAccount: { SendingEnabled: true, ProductionAccessEnabled: false } },
      "warning | SES is in its sandbox: it sends mails only to addresses that it has verified. | Request production access for the account in Amazon SES.",
    ],
    [
      "mail",
      { GetAccount: { SendingEnabled: false, ProductionAccessEnabled: true } },
      "blocking | SES has paused the sending of this account.",
    ],
    [
      "mail",
      { GetAccount: { error: "AccessDeniedException", status: 403 } },
      "warning | Access denied to ses:GetAccount.",
    ],
    [
      "alarm topic",
      { ListSubscriptionsByTopic: { Subscriptions: [{ SubscriptionArn: "PendingConfirmation" }] } },
      "warning | The topic of the alarms has no confirmed subscription, so that they notify no one. | Confirm the subscription",
    ],
    [
      "alarm topic",
      { ListSubscriptionsByTopic: {} },
      "warning | The topic of the alarms has no subscription, so that they notify no one. | Run aws sns subscribe --topic-arn arn:aws:sns:eu-central-1:123456789012:alarms",
    ],
    [
      "alarm topic",
      { ListSubscriptionsByTopic: { error: "NotFound", status: 404 } },
      "blocking | The topic arn:aws:sns:eu-central-1:123456789012:alarms does not exist.",
    ],
    [
      "alarm topic",
      { ListSubscriptionsByTopic: { error: "AuthorizationError", status: 403 } },
      "warning | Access denied to sns:ListSubscriptionsByTopic.",
    ],
  ])("the check %s with the answers %j finds: %s", async (check, answers, line) => {
    aws.answers = { ...aws.answers, ...answers };
    expect((await lineOf(check)).replaceAll(aws.url, "URL")).toContain(line);
  });

  it.each([
    [
      "app",
      { metaAppId: null },
      "warning | No account can be connected, because metaAppId and instagramAppId are not set.",
    ],
    ["mail", { mailFrom: null }, "warning | No mail is sent, because mailFrom is not set."],
    ["alarm topic", { alarmTopicArn: null }, "warning | The alarms notify no one, because alarmTopicArn is not set."],
    [
      "secrets",
      { instagramAppId: "17841" },
      "blocking | The secret of the Instagram app is empty, so that its webhooks are refused.",
    ],
  ])("the check %s with the settings %j finds: %s", async (check, settings, line) => {
    writeStage({ ...stage, ...settings });
    expect(await lineOf(check)).toContain(line);
  });

  it.each([
    ["messages", "blocking"],
    ["message_reads", "warning"],
  ])("a missing field %s of the app is %s", async (field, status) => {
    const fields = pageFields.filter((name) => name !== field);
    aws.answers = { ...aws.answers, [subscriptionsPath]: { data: [row("page", "messenger", fields)] } };
    expect(await lineOf("callbacks")).toBe(
      `${status} | The app is not subscribed to ${field} of page. | Subscribe to these fields of page in the app's dashboard.`,
    );
  });
});

test("doctor checks only what a deployment needs before the first one", async () => {
  const missing = { error: "ValidationError" };
  const limit = { AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 150 } };
  aws.answers = {
    ...aws.answers,
    "DescribeStacks ParleyData-staging": missing,
    "DescribeStacks ParleyService-staging": missing,
    // Other functions of the account have reserved the rest.
    GetAccountSettings: limit,
  };
  const results = await diagnose();
  const named = Object.fromEntries(results.map(({ check, status }) => [check, status]));
  expect(named).toEqual({
    account: "ok",
    bootstrap: "ok",
    concurrency: "blocking",
    stacks: "warning",
    existing: "ok",
    table: "skipped",
    key: "skipped",
    secrets: "skipped",
    queues: "skipped",
    version: "skipped",
    app: "skipped",
    callbacks: "skipped",
    mail: "ok",
    "alarm topic": "ok",
  });
});

describe("existing resources that the stage names", () => {
  const copy = {
    ...table,
    TableName: "Copy",
    TableArn: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/Copy`,
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    GlobalSecondaryIndexes: indexes.map((each, at) => ({
      ...each,
      Projection: [
        { ProjectionType: "ALL" },
        { ProjectionType: "KEYS_ONLY" },
        { ProjectionType: "INCLUDE", NonKeyAttributes: ["st"] },
      ][at],
    })),
  };
  const missing = { error: "ValidationError" };
  const use = "The functions use Table in place of Copy.";
  const deploy =
    "Run npx cdk deploy ParleyService-staging --exclusively -c parley:stage=staging, then npx cdk deploy --all -c parley:stage=staging.";
  const ofData = { TableName: "Table", UploadBucketName: "uploads", JournalBucketName: "journal", KeyId: "key-1" };
  const secrets = { RootSecretId: "Root", PlatformSecretId: "Platforms" };

  it.each<[string, FakeAnswers, string]>([
    ["a copy that was not deployed yet", {}, `warning | ${use} | ${deploy}`],
    [
      "a copy without its settings, before the first deployment",
      {
        "DescribeStacks ParleyData-staging": missing,
        "DescribeStacks ParleyService-staging": missing,
        DescribeTable: { Table: { ...copy, DeletionProtectionEnabled: false } },
        DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } },
      },
      "warning | The existing table Copy lacks time to live, deletion protection. | Run npm run admin -- adopt --stage staging.",
    ],
    [
      "a table without an index",
      { DescribeTable: { Table: { ...copy, GlobalSecondaryIndexes: [] } } },
      "blocking | The existing table Copy cannot be used: it has no index GS1. Restore the table from Parley's again",
    ],
    [
      "a table encrypted with a key of KMS",
      { DescribeTable: { Table: { ...copy, SSEDescription: { Status: "ENABLED", SSEType: "KMS" } } } },
      "blocking | The existing table Copy cannot be used: it is encrypted with a key that no function may use.",
    ],
    [
      "a table that is still restored",
      { DescribeTable: { Table: { ...copy, TableStatus: "CREATING" } } },
      "blocking | The existing table Copy cannot be used: it is not active (CREATING). Wait until it is, then try again.",
    ],
    [
      "a table that may not be read",
      { DescribeTable: { error: "AccessDeniedException" } },
      "warning | The existing table Copy cannot be used: Access denied to dynamodb:DescribeTable.",
    ],
    [
      "a table that the functions use",
      {
        "DescribeStacks ParleyData-staging": stack("ParleyData-staging", { ...ofData, ...secrets, TableName: "Copy" }),
      },
      "ok | The existing resources that the stage names fit, and the functions use them. | ",
    ],
  ])("doctor says what is wrong with %s", async (_, answers, line) => {
    writeStage({ ...stage, existingTable: "Copy" });
    const base = { DescribeTable: { Table: copy }, DescribeStackResources: missing };
    aws.answers = { ...aws.answers, ...base, ...answers };
    expect(await lineOf("existing")).toContain(line);
  });
});

test("a service that never answers ends its check, and no other", async () => {
  aws.answers = { ...aws.answers, DescribeKey: "never" };
  const results = await diagnose({ timeLimit: 2_000 });
  expect(results.filter(({ status }) => status !== "ok").map(toLine)).toEqual([
    "warning | There was no answer within 2 seconds. | Check your connection, then try again.",
  ]);
});

test("a check whose connection is lost says so, and ends no other", async () => {
  aws.answers = { ...aws.answers, DescribeKey: "reset" };
  const results = await diagnose();
  expect(results.filter(({ status }) => status !== "ok").map(toLine)).toEqual([
    "warning | No answer to kms:DescribeKey (ECONNRESET). | Check the region and your connection, then try again.",
  ]);
});

test("a new account with the size small needs 20 places, which no setting lowers", async () => {
  writeStage({ ...stage, size: "small" });
  const limit = { AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 } };
  aws.answers = { ...aws.answers, GetAccountSettings: limit };
  expect(await lineOf("concurrency")).toBe(
    "warning | Lambda's limit is 10 concurrent executions, but the queues (20) and the reservations (0) may use 20: a busy queue can leave none for the API. | Request a quota L-B99A9384 of Lambda above 20.",
  );
});

test.each([{}, { "parley:size": "small" }, { "parley:deadLetterQueues": "one" }])(
  "the sum of the concurrency is that of the template %j",
  (context) => {
    const { service } = synthesizeTemplates(context);
    const mappings = resourcesOfType(service, "AWS::Lambda::EventSourceMapping").map(
      ([id]) => (resourceProperties(service, id).ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency,
    );
    const reserved = resourcesOfType(service, "AWS::Lambda::Function").map(([id]) =>
      Number(resourceProperties(service, id).ReservedConcurrentExecutions ?? 0),
    );
    const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
    expect(concurrencyNeeds(parseSettings(context))).toEqual({ mappings: sum(mappings), reserved: sum(reserved) });
  },
);
