import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { KMSClient } from "@aws-sdk/client-kms";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SESv2Client } from "@aws-sdk/client-sesv2";
import type { SQSClient } from "@aws-sdk/client-sqs";
import { consoleLog, type Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import type { PutObject } from "#base/aws/object-put.ts";
import type { Connections } from "#base/aws/realtime.ts";
import type { PageFile } from "#base/files/page-file.ts";
import type { Gate } from "#base/net/egress-gate.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import type { Platform } from "#platforms/graph/platform.ts";

/** Clients that replace those which a process opens from its settings. */
export interface Clients {
  readonly table?: DynamoDBClient;
  readonly sqs?: SQSClient;
  readonly s3?: S3Client;
  readonly kms?: KMSClient;
  readonly secrets?: SecretsManagerClient;
  readonly ses?: SESv2Client;
  /** Writes to the bucket of the journal. */
  readonly journal?: PutObject;
  readonly connections?: Connections;
  /** Calls to outside of AWS. */
  readonly gate?: Gate;
  readonly webhookClient?: WebhookClient;
  readonly platformFor?: (account: Pick<Account, "platform" | "connection">, scope?: Scope) => Promise<Platform>;
  readonly accountPlatformFor?: (connection: Account["connection"]) => Promise<AccountPlatform>;
  /** Null sends no mails. */
  readonly mail?: Mailer | null;
}

/** What the ports of every function are composed from. */
export interface Host {
  /** The environment, by the names of `shared/base/config/names.ts`. */
  readonly settings: NodeJS.ProcessEnv;
  readonly clients: Clients;
  readonly log: Log;
  readonly random: () => number;
  /** The files of pages by name. Default: those that the build wrote beside the bundle. */
  readonly pageFiles?: ReadonlyMap<string, PageFile>;
}

/** A process of Lambda, with its environment and clients of its own. */
export const processHost: Host = {
  settings: process.env,
  clients: {},
  log: consoleLog,
  random: Math.random,
};
