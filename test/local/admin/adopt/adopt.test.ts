import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { DisableKeyCommand, GetKeyRotationStatusCommand } from "@aws-sdk/client-kms";
import {
  DeletePublicAccessBlockCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetPublicAccessBlockCommand,
  PutBucketCorsCommand,
  PutBucketEncryptionCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { table as names } from "#base/config/names.ts";
import { restoreAttributes } from "#features/recovery/store/attributes.ts";
import { restoreKey } from "#features/recovery/store/items.ts";
import { inspectTable } from "../../../../bin/admin/adopt/table.ts";
import { CliError } from "../../../../bin/admin/cli-error.ts";
import { openedOnce } from "../../../support/opened.ts";
import {
  ACCOUNT,
  type AdoptFixture,
  copyOfTable,
  type Existing,
  keyPolicy,
  openAdoptFixture,
  REGION,
  type RunOptions,
  templateProperties,
} from "./adopt-fixture.ts";

const fixture = openedOnce(openAdoptFixture);

let printed = "";
beforeEach(() => {
  printed = "";
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", fixture.cloudFormation.url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const isWrite = (operation: string) => !/^(Describe|Get|Head|List)/.test(operation);
const writes = () => fixture.operations.filter(isWrite);

async function refusal(settings: Existing, options: RunOptions = {}): Promise<string> {
  const error = await fixture.run(settings, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CliError);
  const { message } = error as CliError;
  expect(message.split("\n")).toHaveLength(1);
  expect(writes()).toEqual([]);
  return message;
}

/** What a table, a key and a bucket of the template have. */
async function expectAsTemplate(settings: Readonly<Record<string, string>>, days: number): Promise<void> {
  const { table, kms, s3 } = fixture.clients;
  const TableName = settings.existingTable;
  const { TimeToLiveDescription } = await table.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: "ENABLED", AttributeName: names.timeToLive });
  const { ContinuousBackupsDescription } = await table.send(new DescribeContinuousBackupsCommand({ TableName }));
  expect(ContinuousBackupsDescription?.PointInTimeRecoveryDescription).toEqual({
    PointInTimeRecoveryStatus: "ENABLED",
    RecoveryPeriodInDays: days,
  });
  const { Table } = await table.send(new DescribeTableCommand({ TableName }));
  expect(Table?.DeletionProtectionEnabled).toBe(true);
  const { KeyRotationEnabled } = await kms.send(new GetKeyRotationStatusCommand({ KeyId: settings.existingKey }));
  expect(KeyRotationEnabled).toBe(true);
  for (const [setting, start] of [
    ["existingRawBucket", "RawBucket"],
    ["existingUploadBucket", "UploadBucket"],
    ["existingJournalBucket", "JournalBucket"],
  ] as const) {
    const Bucket = settings[setting];
    if (Bucket === undefined) continue;
    const expected = templateProperties("AWS::S3::Bucket", start);
    const access = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
    expect(access.PublicAccessBlockConfiguration).toEqual(expected.PublicAccessBlockConfiguration);
    const { OwnershipControls } = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
    expect(OwnershipControls).toEqual(expected.OwnershipControls);
    const encryption = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(JSON.stringify(encryption)).toContain('{"SSEAlgorithm":"AES256"}');
    expect(JSON.stringify(expected.BucketEncryption)).toContain('{"SSEAlgorithm":"AES256"}');
    const { Rules = [] } = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    const [rule] = (expected.LifecycleConfiguration as { Rules: readonly Record<string, unknown>[] }).Rules;
    expect(
      Rules.map(({ ID, Status, Expiration, AbortIncompleteMultipartUpload }) => ({
        Id: ID,
        Status,
        ExpirationInDays: Expiration?.Days,
        AbortIncompleteMultipartUpload,
      })),
    ).toEqual([{ ...rule, ...(start === "JournalBucket" ? { ExpirationInDays: days + 5 } : {}) }]);
    const cors = await s3.send(new GetBucketCorsCommand({ Bucket })).catch(() => null);
    expect(cors === null ? undefined : { CorsRules: cors.CORSRules }).toEqual(expected.CorsConfiguration);
    const { Policy = "" } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
    const { Statement } = templateProperties("AWS::S3::BucketPolicy", start).PolicyDocument as {
      Statement: readonly Record<string, unknown>[];
    };
    const statements = (JSON.parse(Policy) as { Statement: readonly Record<string, unknown>[] }).Statement;
    const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
    expect(statements.filter(({ Sid }) => Sid === undefined)).toEqual(
      Statement.map((statement) => ({ ...statement, Resource })),
    );
  }
}

it("adopt gives a copy and what a removed stack left all that the template gives, and a second run changes nothing", async () => {
  const settings = await fixture.leave();
  await fixture.run(settings);
  await expectAsTemplate(settings, 35);
  expect(printed).toContain(`table ${settings.existingTable}: set: time to live\n`);
  expect(printed).toContain(`secret ${settings.existingRootSecret}: lacks nothing\n`);
  expect(printed).toContain("npx cdk deploy ParleyService-prod --exclusively -c parley:stage=prod");
  expect(printed).not.toContain("r".repeat(64));
  printed = "";
  await fixture.run(settings);
  expect(writes()).toEqual([]);
  expect(printed).not.toContain("set: ");
});

it("the recovery and the journal have the days that the stage sets, also where they had others", async () => {
  const settings = await fixture.leave();
  await fixture.run(settings);
  await fixture.run({ ...settings, recoveryPeriodInDays: 7 });
  expect(writes().sort()).toEqual(["PutBucketLifecycleConfiguration", "UpdateContinuousBackups"]);
  await expectAsTemplate(settings, 7);
});

it("a copy and its indexes get the cap on throughput of the stage, and lose it when the stage has none", async () => {
  const TableName = await fixture.newTable();
  const settings = { existingTable: TableName };
  const caps = async () => {
    const { Table } = await fixture.clients.table.send(new DescribeTableCommand({ TableName }));
    return [Table, ...(Table?.GlobalSecondaryIndexes ?? [])].map((each) => each?.OnDemandThroughput);
  };
  await fixture.run(settings);
  expect(await caps()).toEqual([undefined, undefined, undefined, undefined]);
  const capped = { ...settings, tableMaxReadUnits: 1000, tableMaxWriteUnits: 500 };
  await fixture.run(capped, { flags: ["--check"] });
  const name = "throughput cap (read units: 1000, write units: 500)";
  expect(printed).toContain(`table ${TableName}: lacks ${name}\n`);
  await fixture.run(capped);
  expect(printed).toContain(`table ${TableName}: set: ${name}\n`);
  expect(await caps()).toEqual(Array(4).fill({ MaxReadRequestUnits: 1000, MaxWriteRequestUnits: 500 }));
  await fixture.run(capped);
  expect(writes()).toEqual([]);
  // An index alone, as one has it that an update left out.
  const update = { IndexName: "GS1", OnDemandThroughput: { MaxWriteRequestUnits: 5 } };
  const GlobalSecondaryIndexUpdates = [{ Update: update }];
  await fixture.clients.table.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
  await fixture.run(capped);
  expect(writes()).toEqual(["UpdateTable"]);
  expect(await caps()).toEqual(Array(4).fill({ MaxReadRequestUnits: 1000, MaxWriteRequestUnits: 500 }));
  await fixture.run(settings);
  expect(await caps()).toEqual(Array(4).fill({ MaxReadRequestUnits: -1, MaxWriteRequestUnits: -1 }));
  await fixture.run(settings);
  expect(writes()).toEqual([]);
});

it("what a bucket has besides is replaced, and other statements of its policy stay", async () => {
  const settings = await fixture.leave();
  const Bucket = settings.existingRawBucket;
  const { s3 } = fixture.clients;
  await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
  const OwnershipControls = { Rules: [{ ObjectOwnership: "ObjectWriter" as const }] };
  await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls }));
  const Rules = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms" as const } }];
  await s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules } }));
  const CORSRules = [{ AllowedMethods: ["GET"], AllowedOrigins: ["https://example.com"] }];
  await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  const statement = {
    Sid: "Audit",
    Effect: "Deny",
    Principal: "*",
    Action: "s3:PutObjectAcl",
    Resource: `arn:aws:s3:::${Bucket}/*`,
  };
  const Policy = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
  await s3.send(new PutObjectCommand({ Bucket, Key: "raw/2026/1", Body: "x" }));
  await fixture.run(settings);
  await expectAsTemplate(settings, 35);
  const stored = await s3.send(new GetBucketPolicyCommand({ Bucket }));
  expect(JSON.parse(stored.Policy ?? "").Statement[0]).toEqual(statement);
});

it("a run that ends before any of its writes is continued by the same command", async () => {
  const { existingTable = "", existingKey = "", existingUploadBucket = "" } = await fixture.leave();
  const settings = { existingTable, existingKey, existingUploadBucket };
  const steps: string[] = [];
  for (let isDone = false; !isDone; ) {
    let written = 0;
    const endsAt = ({ command }: { command: string }) => isWrite(command) && written++ === 1;
    const error = await fixture.run(settings, { endsAt }).catch((reason: unknown) => reason);
    steps.push(...writes().slice(0, 1));
    isDone = error === undefined;
    if (!isDone) {
      expect((error as Error).message).toMatch(/^adopt stopped at .* What is set stays: run the command again\.$/);
    }
    expect(steps.length).toBeLessThan(20);
  }
  expect(steps).toEqual([
    "EnableKeyRotation",
    ...["PutBucketPolicy", "PutBucketLifecycleConfiguration", "PutBucketCors"],
    ...["UpdateTimeToLive", "UpdateContinuousBackups", "UpdateTable"],
  ]);
  await expectAsTemplate(settings, 35);
});

it("a check prints what each resource lacks and changes nothing", async () => {
  const settings = await fixture.leave();
  await fixture.run(settings, { flags: ["--check", "--json"] });
  expect(writes()).toEqual([]);
  const { existingTable, existingKey, existingRawBucket, existingUploadBucket, existingJournalBucket } = settings;
  const bucketLacks = (days: string) => ["policy that requires TLS", `expiry of objects after ${days}`];
  expect(JSON.parse(printed)).toEqual({
    stage: "prod",
    changed: false,
    resources: [
      { setting: "existingRootSecret", name: settings.existingRootSecret, lacks: [] },
      { setting: "existingPlatformSecret", name: settings.existingPlatformSecret, lacks: [] },
      { setting: "existingKey", name: existingKey, lacks: ["rotation"] },
      { setting: "existingRawBucket", name: existingRawBucket, lacks: bucketLacks("7 days") },
      {
        setting: "existingUploadBucket",
        name: existingUploadBucket,
        lacks: [...bucketLacks("1 day"), "CORS rule for posted files"],
      },
      { setting: "existingJournalBucket", name: existingJournalBucket, lacks: bucketLacks("40 days") },
      {
        setting: "existingTable",
        name: existingTable,
        lacks: ["time to live", "point-in-time recovery of 35 days", "deletion protection"],
      },
    ],
  });
});

const [firstIndex, ...otherIndexes] = copyOfTable.GlobalSecondaryIndexes ?? [];
const foreignKey = [{ AttributeName: "id", KeyType: "HASH" as const }];
const KEY_ID = "1234abcd-12ab-34cd-56ef-1234567890ab";
type Make = (left: AdoptFixture) => Promise<{ readonly settings: Existing; readonly options?: RunOptions }>;

describe("a resource that does not fit is one line", () => {
  it.each<[string, Make, string]>([
    [
      "a table that does not exist",
      async () => ({ settings: { existingTable: "ParleyCopy" } }),
      "it does not exist. Check the setting, and the account and region of your credentials.",
    ],
    [
      "a table of other keys",
      async ({ newTable }) => {
        const AttributeDefinitions = [{ AttributeName: "id", AttributeType: "S" as const }];
        const other = { KeySchema: foreignKey, AttributeDefinitions, GlobalSecondaryIndexes: undefined };
        return { settings: { existingTable: await newTable(other) } };
      },
      "it has other keys than Parley's. Name a copy of Parley's table.",
    ],
    [
      "a table restored without an index",
      async ({ newTable }) => ({
        settings: {
          existingTable: await newTable({
            GlobalSecondaryIndexes: otherIndexes,
            AttributeDefinitions: copyOfTable.AttributeDefinitions?.filter(
              ({ AttributeName }) => AttributeName !== "F" && AttributeName !== "G",
            ),
          }),
        },
      }),
      "it has no index GS1. Restore the table from Parley's again, with all indexes and the settings of the source.",
    ],
    [
      "a table with an index of other keys",
      async ({ newTable }) => {
        const other = { ...firstIndex, KeySchema: [{ AttributeName: "F", KeyType: "HASH" as const }] };
        const AttributeDefinitions = copyOfTable.AttributeDefinitions?.filter(
          ({ AttributeName }) => AttributeName !== "G",
        );
        return {
          settings: {
            existingTable: await newTable({
              AttributeDefinitions,
              GlobalSecondaryIndexes: [other, ...otherIndexes] as typeof otherIndexes,
            }),
          },
        };
      },
      "its index GS1 has other keys or attributes than Parley's. Name a copy of Parley's table.",
    ],
    [
      "a table with an index that holds less",
      async ({ newTable }) => {
        const other = { ...firstIndex, Projection: { ProjectionType: "KEYS_ONLY" as const } };
        const GlobalSecondaryIndexes = [other, ...otherIndexes] as typeof otherIndexes;
        return { settings: { existingTable: await newTable({ GlobalSecondaryIndexes }) } };
      },
      "its index GS1 has other keys or attributes than Parley's.",
    ],
    [
      "a table with another index",
      async ({ newTable }) => {
        const other = { ...firstIndex, IndexName: "ByName" };
        const GlobalSecondaryIndexes = [firstIndex, other, ...otherIndexes] as typeof otherIndexes;
        return { settings: { existingTable: await newTable({ GlobalSecondaryIndexes }) } };
      },
      "it has an index ByName, which Parley's has not. Name a copy of Parley's table.",
    ],
    [
      "a table with provisioned capacity",
      async ({ newTable }) => {
        const ProvisionedThroughput = { ReadCapacityUnits: 1, WriteCapacityUnits: 1 };
        const GlobalSecondaryIndexes = copyOfTable.GlobalSecondaryIndexes?.map((index) => ({
          ...index,
          ProvisionedThroughput,
        }));
        const provisioned = { BillingMode: "PROVISIONED" as const, ProvisionedThroughput, GlobalSecondaryIndexes };
        return { settings: { existingTable: await newTable(provisioned) } };
      },
      "it has provisioned capacity. Run aws dynamodb update-table --table-name",
    ],
    [
      "a table whose time to live is another attribute",
      async (left) => {
        const TableName = await left.newTable();
        const TimeToLiveSpecification = { Enabled: true, AttributeName: "expires" };
        await left.clients.table.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
        return { settings: { existingTable: TableName } };
      },
      "its time to live is ENABLED with the attribute expires. Turn it off, wait an hour, then try again.",
    ],
    [
      "a key that does not exist",
      async () => ({ settings: { existingKey: KEY_ID } }),
      "it does not exist. Check the setting, and the account and region of your credentials.",
    ],
    [
      "a key of another account",
      async () => ({ settings: { existingKey: `arn:aws:kms:${REGION}:111122223333:key/${KEY_ID}` } }),
      "it is in account 111122223333 and region us-east-1.",
    ],
    [
      "a key of another region",
      async () => ({ settings: { existingKey: `arn:aws:kms:eu-west-1:${ACCOUNT}:key/${KEY_ID}` } }),
      "and region eu-west-1.",
    ],
    [
      "a key that is not enabled",
      async ({ newKey, clients }) => {
        const KeyId = await newKey();
        await clients.kms.send(new DisableKeyCommand({ KeyId }));
        return { settings: { existingKey: KeyId } };
      },
      "it is not enabled (Disabled). Run aws kms enable-key --key-id",
    ],
    [
      "a key that encrypts nothing",
      async ({ newKey }) => ({
        settings: {
          existingKey: await newKey({ KeySpec: "HMAC_256", KeyUsage: "GENERATE_VERIFY_MAC", Policy: keyPolicy }),
        },
      }),
      "it is no symmetric key of yours that encrypts (HMAC_256, GENERATE_VERIFY_MAC).",
    ],
    [
      "a key of another use",
      async ({ newKey }) => ({ settings: { existingKey: await newKey({}) } }),
      "its policy does not deny other encryption contexts than Parley's. Name the key that a stack ParleyData left.",
    ],
    [
      "a key whose policy leaves nothing to those of functions",
      async ({ newKey }) => ({
        settings: {
          existingKey: await newKey({ Policy: keyPolicy.replace(`${ACCOUNT}:root`, `${ACCOUNT}:user/ann`) }),
        },
      }),
      "its policy lets no policy of IAM grant its use.",
    ],
    [
      "a bucket that does not exist",
      async () => ({ settings: { existingRawBucket: "no-such-bucket" } }),
      "it does not exist. Check the setting.",
    ],
    [
      "a bucket of another account",
      async ({ newBucket }) => ({
        settings: { existingJournalBucket: "", existingRawBucket: await newBucket() },
        options: { account: "111122223333" },
      }),
      "it is not of account 111122223333, or your credentials may not call s3:ListBucket on it.",
    ],
    [
      "a bucket of another region",
      async ({ newBucket }) => ({
        settings: { existingJournalBucket: "", existingRawBucket: await newBucket() },
        options: { region: "eu-central-1" },
      }),
      "it is in region us-east-1. Name one in eu-central-1.",
    ],
    [
      "a bucket that stores versions",
      async ({ newBucket, clients }) => {
        const Bucket = await newBucket();
        const VersioningConfiguration = { Status: "Enabled" as const };
        await clients.s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
        return { settings: { existingRawBucket: Bucket } };
      },
      "it stores versions, so that nothing in it can be erased. Name one without versions.",
    ],
    [
      "a bucket with objects of another use, which would expire",
      async ({ newBucket, clients }) => {
        const Bucket = await newBucket();
        for (const Key of ["raw/2026/1", "photos/1.jpg"]) {
          await clients.s3.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
        }
        return { settings: { existingRawBucket: Bucket } };
      },
      "it has objects other than inbound/ and raw/, such as photos/, which would expire. Name a bucket that has none.",
    ],
    [
      "the bucket of uploads in place of that of the journal",
      async ({ newBucket, clients }) => {
        const Bucket = await newBucket();
        await clients.s3.send(new PutObjectCommand({ Bucket, Key: "u/1", Body: "x" }));
        return { settings: { existingJournalBucket: Bucket } };
      },
      "it has objects other than acts/, such as u/, which would expire.",
    ],
    [
      "a root secret in place of the platform secrets",
      async ({ newSecret }) => ({ settings: { existingPlatformSecret: await newSecret("r".repeat(64)) } }),
      "it is no JSON object with meta, instagram and verify_token. Name Parley's platform secrets.",
    ],
    [
      "the platform secrets in place of the root secret",
      async ({ newSecret }) => ({
        settings: { existingRootSecret: await newSecret({ meta: "m".repeat(32), instagram: "", verify_token: "v" }) },
      }),
      "it is no text of at least 32 random characters. Name Parley's root secret.",
    ],
    [
      "a root secret that is too short",
      async ({ newSecret }) => ({ settings: { existingRootSecret: await newSecret("short") } }),
      "it is no text of at least 32 random characters.",
    ],
    [
      "a secret that does not exist",
      async () => ({
        settings: { existingRootSecret: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:Root-AbCdEf` },
      }),
      "it does not exist, or has no value.",
    ],
    [
      "a secret of another account",
      async () => ({
        settings: { existingRootSecret: `arn:aws:secretsmanager:${REGION}:111122223333:secret:Root-AbCdEf` },
      }),
      "it is in account 111122223333 and region us-east-1. Name one in 000000000000, us-east-1.",
    ],
  ])("%s is refused, and nothing is changed", async (_, make, expected) => {
    const { settings, options } = await make(fixture);
    const rest = { existingJournalBucket: await fixture.newBucket() };
    expect(await refusal({ ...rest, ...settings }, options)).toContain(expected);
  });

  it("a table of another account is refused", async () => {
    const settings = { existingTable: await fixture.newTable() };
    expect(await refusal(settings, { account: "111122223333" })).toBe(
      `adopt stopped at table ${settings.existingTable}: it is not in account 111122223333. Use credentials of 111122223333. Nothing was changed.`,
    );
  });

  it("a resource of another stack is refused, and one of a deleted stack or of the stage's own is not", async () => {
    const settings = { existingTable: await fixture.newTable() };
    const stack = (StackName: string, StackStatus: string) => ({
      DescribeStackResources: { StackResources: [{ StackName, StackId: StackName, LogicalResourceId: "Table" }] },
      DescribeStacks: { Stacks: [{ StackName, StackStatus, CreationTime: "2026-11-28T20:00:00.000Z" }] },
    });
    const { cloudFormation } = fixture;
    const { answers } = cloudFormation;
    try {
      cloudFormation.answers = stack("ParleyData", "UPDATE_COMPLETE");
      expect(await refusal(settings)).toContain(
        "it belongs to the stack ParleyData. Name a copy, or delete that stack first, which leaves its data.",
      );
      cloudFormation.answers = { DescribeStackResources: { error: "AccessDenied", status: 403 } };
      expect(await refusal(settings)).toContain(
        "Access denied to cloudformation:DescribeStackResources. Use credentials that may call cloudformation:DescribeStackResources.",
      );
      for (const [name, status] of [
        ["ParleyData", "DELETE_COMPLETE"],
        ["ParleyData-prod", "UPDATE_COMPLETE"],
      ] as const) {
        cloudFormation.answers = stack(name, status);
        await fixture.run(settings, { flags: ["--check"] });
      }
    } finally {
      cloudFormation.answers = answers;
    }
  });

  it.each([
    ["a stage that names no resource", {}, "Stage prod names no existing resource. Set existingTable or others"],
    ["a setting that names no table", { existingTable: "a/b" }, 'Invalid parley:existingTable: "a/b".'],
  ])("%s is refused before AWS is asked", async (_, settings, expected) => {
    expect(await refusal(settings)).toContain(expected);
  });
});

it("a point-in-time copy is adopted only after a restore of it has started", async () => {
  const { clients, newTable } = fixture;
  const name = await newTable();
  const from = Date.parse("2026-11-28T08:00:00Z");
  // The engine of the tests makes no copies.
  const client = {
    send: async (command: DescribeTableCommand) => {
      const { Table, ...rest } = await clients.table.send(command);
      return Table ? { ...rest, Table: { ...Table, RestoreSummary: { RestoreDateTime: new Date(from) } } } : rest;
    },
  } as unknown as typeof clients.table;
  const inspect = () => inspectTable(client, name, { account: ACCOUNT, recoveryDays: 35 });
  const problem = `it is a copy that was not prepared. Run npm run admin -- restore --table ${name} first.`;
  const started = async (at: number) => {
    const Item = { PK: { S: restoreKey.PK }, SK: { S: restoreKey.SK }, [restoreAttributes.from]: { N: String(at) } };
    await clients.table.send(new PutItemCommand({ TableName: name, Item }));
  };
  await expect(inspect()).rejects.toThrow(problem);
  // An earlier restore, which was copied with the table.
  await started(from - 1);
  await expect(inspect()).rejects.toThrow(problem);
  await started(from);
  expect((await inspect()).map((lack) => lack.name)).toContain("deletion protection");
});
