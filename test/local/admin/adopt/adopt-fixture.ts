import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, type CreateTableCommandInput, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateKeyCommand } from "@aws-sdk/client-kms";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { openTableProxy } from "#local-aws/dynamodb/table-proxy.ts";
import { startEmulators } from "#local-aws/emulators/server.ts";
import { type AdoptionSources, adopt } from "../../../../bin/admin/adopt/adopt.ts";
import { type AdoptionClients, openAdoptionClients } from "../../../../bin/admin/adopt/existing-resources.ts";
import { readArguments } from "../../../../bin/admin/arguments.ts";
import { openStacks } from "../../../../functions/admin/stacks.ts";
import { clientSettings } from "../../../../functions/admin/tenant-ports.ts";
import { resourcesOfType, synthesizeTemplates } from "../../../lib/synth-templates.ts";
import { testAccessKeys } from "../../../support/access/access-keys.ts";
import { testEngine } from "../../../support/engine/engine.ts";
import { type FaultyOperation, injectFaults } from "../../../support/faults.ts";
import { type FakeAws, openFakeAws } from "../doctor/fake-aws.ts";

// The emulators, an engine and a server that answers as CloudFormation does, with resources as a template makes them.

export const ACCOUNT = "000000000000";
export const REGION = "us-east-1";
const ROOT_TEXT = "r".repeat(64);

/** What the stack of this release would create. */
export const template = synthesizeTemplates().data;

export function templateProperties(type: string, start = ""): Readonly<Record<string, unknown>> {
  const resource = resourcesOfType(template, type).find(([id]) => id.startsWith(start))?.[1];
  if (resource === undefined) throw new Error(`The template has no ${start} of ${type}.`);
  return resource.Properties;
}

const ofTemplate = templateProperties("AWS::DynamoDB::Table") as unknown as CreateTableCommandInput;
/** As a restored copy: the keys and indexes, and nothing else. */
export const copyOfTable = {
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ofTemplate.AttributeDefinitions,
  KeySchema: ofTemplate.KeySchema,
  GlobalSecondaryIndexes: ofTemplate.GlobalSecondaryIndexes,
} as const;

/** The template's, with its account filled in. */
export const keyPolicy = JSON.stringify(templateProperties("AWS::KMS::Key").KeyPolicy, (_, value) => {
  const join = (value as { "Fn::Join"?: [string, unknown[]] } | null)?.["Fn::Join"];
  if (join === undefined) return value;
  const parts = join[1].map((part) =>
    typeof part === "string" ? part : (part as { Ref: string }).Ref === "AWS::AccountId" ? ACCOUNT : "aws",
  );
  return parts.join(join[0]);
});

export type Existing = Readonly<Record<string, unknown>>;

export interface AdoptFixture {
  readonly clients: AdoptionClients;
  readonly cloudFormation: FakeAws;
  /** New resources that a removed stack, or a restore, left: the settings that name them. */
  leave(): Promise<Record<string, string>>;
  newTable(changes?: Partial<CreateTableCommandInput>): Promise<string>;
  newKey(input?: ConstructorParameters<typeof CreateKeyCommand>[0]): Promise<string>;
  newBucket(): Promise<string>;
  newSecret(value: object | string): Promise<string>;
  /** Runs the command with a stage that has these settings. Its calls are in `operations`. */
  run(settings: Existing, options?: RunOptions): Promise<void>;
  readonly operations: string[];
  close(): Promise<void>;
}

export interface RunOptions {
  readonly flags?: readonly string[];
  readonly account?: string;
  readonly region?: string;
  /** True for a call in whose place the process ends. */
  readonly endsAt?: (operation: FaultyOperation) => boolean;
}

export async function openAdoptFixture(): Promise<AdoptFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-adopt-"));
  const emulators = await startEmulators({ port: 0, dataDir, now: Date.now, accessKeys: testAccessKeys });
  const proxy = await openTableProxy({ port: 0, engine: await testEngine(), accessKeys: testAccessKeys });
  const missing = { error: "ValidationError" };
  const cloudFormation = await openFakeAws({ DescribeStackResources: missing, DescribeStacks: missing });
  const shell = {
    AWS_ENDPOINT_URL: emulators.url,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
  const clients = openAdoptionClients(clientSettings({ ...shell, AWS_REGION: REGION }));
  const operations: string[] = [];
  let created = 0;
  const nextName = (kind: string) => `left-${kind}-${process.pid}-${created++}`;

  const fixture: AdoptFixture = {
    clients,
    cloudFormation,
    operations,
    async newTable(changes = {}) {
      const TableName = nextName("table");
      await clients.table.send(
        new CreateTableCommand({ ...copyOfTable, ...changes, TableName } as CreateTableCommandInput),
      );
      return TableName;
    },
    async newKey(input = { Policy: keyPolicy }) {
      return (await clients.kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? "";
    },
    async newBucket() {
      const Bucket = nextName("bucket");
      await clients.s3.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    },
    async newSecret(value) {
      const SecretString = typeof value === "string" ? value : JSON.stringify(value);
      const { ARN = "" } = await clients.secrets.send(
        new CreateSecretCommand({ Name: nextName("secret"), SecretString }),
      );
      return ARN;
    },
    async leave() {
      return {
        existingTable: await fixture.newTable(),
        existingKey: await fixture.newKey(),
        existingRawBucket: await fixture.newBucket(),
        existingUploadBucket: await fixture.newBucket(),
        existingJournalBucket: await fixture.newBucket(),
        existingRootSecret: await fixture.newSecret(ROOT_TEXT),
        existingPlatformSecret: await fixture.newSecret({ meta: "m", instagram: "", verify_token: "v" }),
      };
    },
    async run(settings, { flags = [], account = ACCOUNT, region = REGION, endsAt = () => false } = {}) {
      const folder = mkdtempSync(join(tmpdir(), "parley-adopt-stage-"));
      writeFileSync(join(folder, "prod.json"), JSON.stringify({ account, region, ...settings }));
      operations.length = 0;
      const ends: (() => void)[] = [];
      const sources: AdoptionSources = {
        shell,
        folder,
        openStacks,
        openClients(options) {
          const opened = region === REGION ? clients : openAdoptionClients(options);
          for (const client of Object.values(opened)) {
            const end = injectFaults(client as unknown as DynamoDBClient, (operation) => {
              operations.push(operation.command);
              return endsAt(operation) ? "crash" : "pass";
            });
            ends.push(end);
          }
          return opened;
        },
      };
      try {
        await adopt(readArguments(["adopt", "--stage", "prod", ...flags]), sources);
      } finally {
        for (const end of ends) end();
        rmSync(folder, { recursive: true });
      }
    },
    async close() {
      for (const client of Object.values(clients)) client.destroy();
      await Promise.all([emulators.close(), proxy.close(), cloudFormation.close()]);
      rmSync(dataDir, { recursive: true });
    },
  };
  return fixture;
}
