import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type clientSettings, openStorage } from "../../../functions/admin/tenant-ports.ts";
import {
  type BucketRules,
  journalBucketRules,
  rawBucketRules,
  uploadBucketRules,
} from "../../../lib/config/bucket-rules.ts";
import { type ExistingName, toKeyId } from "../../../lib/config/existing.ts";
import type { Settings } from "../../../lib/config/settings.ts";
import { inspectBucket } from "./bucket.ts";
import { inspectKey } from "./key.ts";
import type { ExistingResource } from "./resource.ts";
import { inspectSecret } from "./secret.ts";
import { inspectTable } from "./table.ts";

/** Where the service is deployed. */
export interface Place {
  /** 12 digits. */
  readonly account: string;
  readonly region: string;
}

export interface AdoptionClients {
  readonly table: DynamoDBClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
}

export function openAdoptionClients({ services, tableService }: ReturnType<typeof clientSettings>): AdoptionClients {
  return {
    table: new DynamoDBClient(tableService),
    kms: new KMSClient(services),
    s3: openStorage(services),
    secrets: new SecretsManagerClient(services),
  };
}

/** The resources that the settings name, in the order in which they are adopted: what others depend on comes first. */
export function existingResources(
  { existing, recoveryPeriodInDays, throughputCap }: Settings,
  place: Place,
  clients: AdoptionClients,
): ExistingResource[] {
  const { table, key, rawBucket, uploadBucket, journalBucket, rootSecret, platformSecret } = existing;
  const bucket = (setting: ExistingName, name: string | null, rules: BucketRules): ExistingResource[] =>
    name === null
      ? []
      : [{ setting, kind: "bucket", name, inspect: () => inspectBucket(clients.s3, name, { ...place, rules }) }];
  const secret = (setting: ExistingName, name: string | null, content: "root" | "platforms"): ExistingResource[] =>
    name === null
      ? []
      : [{ setting, kind: "secret", name, inspect: () => inspectSecret(clients.secrets, name, { ...place, content }) }];
  const ofTable = (name: string): ExistingResource => {
    const requirements = { account: place.account, recoveryDays: recoveryPeriodInDays, throughputCap };
    return {
      setting: "existingTable",
      kind: "table",
      name,
      inspect: () => inspectTable(clients.table, name, requirements),
    };
  };
  return [
    ...secret("existingRootSecret", rootSecret, "root"),
    ...secret("existingPlatformSecret", platformSecret, "platforms"),
    ...(key === null
      ? []
      : [
          {
            setting: "existingKey",
            kind: "key",
            name: key,
            inspect: () => inspectKey(clients.kms, key, place),
          } as const,
        ]),
    ...bucket("existingRawBucket", rawBucket, rawBucketRules),
    ...bucket("existingUploadBucket", uploadBucket, uploadBucketRules),
    ...bucket("existingJournalBucket", journalBucket, journalBucketRules(recoveryPeriodInDays)),
    ...(table === null ? [] : [ofTable(table)]),
  ];
}

/** How CloudFormation names a resource in its stack. */
export function physicalId({ kind, name }: ExistingResource): string {
  return kind === "key" ? toKeyId(name) : name;
}
