import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { requestOptions, requestTimeouts } from "#base/config/request-times.ts";
import { setting } from "#base/config/settings.ts";
import type { Table } from "#base/table/client.ts";
import type { KeyPorts, KeyRevocationPorts } from "#features/access/ports.ts";
import type { LinkPorts } from "#features/accounts/ports.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import type { OwnerPorts, TenantPorts, TenantStatusPorts } from "#features/tenants/ports.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import { compose } from "../compose.ts";
import type { Host } from "../host.ts";
import { journal } from "../ports/files.ts";
import { addressKeys, peppers, vault } from "../ports/keys.ts";
import {
  accountChecks,
  accounts,
  apiKeys,
  authorizations,
  invites,
  memberships,
  tenantStatuses,
  tenants,
  users,
} from "../ports/stores.ts";
import { table } from "../ports/table.ts";

/** What the commands that set up a workspace need. */
export type AdminPorts = KeyPorts &
  TenantPorts &
  TenantStatusPorts &
  OwnerPorts &
  KeyRevocationPorts &
  LinkPorts & { readonly tenants: Tenants };

/** The clients of a command. */
export interface CommandClients {
  readonly table: DynamoDBClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
  readonly kms: KMSClient;
  readonly secrets: SecretsManagerClient;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The ports for creating tenants, keys and accounts in the deployment that `environment` describes. It has the variables
 * of a function and, for the local stack, its endpoints and credentials.
 */
export function tenantPorts(environment: Environment, clients = openClients(environment)): AdminPorts {
  const { table: opened, ...ports } = compose(commandHost(environment, clients), {
    table,
    journal,
    tenants,
    tenantStatuses,
    invites,
    memberships,
    users,
    accounts,
    accountChecks,
    authorizations,
    apiKeys,
    vault,
    peppers,
    addressKeys,
  });
  return { ...cutOffPorts(environment, opened, clients.sqs), ...ports };
}

/** A command as the host of its ports. Only a command that records an act needs the name of the journal's bucket. */
export function commandHost(environment: Environment, clients = openClients(environment)): Host {
  const journalFiles = () => openFiles(setting("journalBucket", environment), clients.s3);
  return {
    settings: environment as NodeJS.ProcessEnv,
    clients: { ...clients, journal: async (key, body) => journalFiles().put(key, body) },
    log: () => {},
    random: Math.random,
  };
}

/** The clients of the AWS that `environment` describes. */
export function openClients(environment: Environment): CommandClients {
  const { services, tableService } = clientSettings(environment);
  return {
    table: new DynamoDBClient(tableService),
    s3: openStorage(services),
    sqs: new SQSClient(services),
    kms: new KMSClient(services),
    secrets: new SecretsManagerClient(services),
  };
}

/** The client of S3. @param services as `clientSettings` has them */
export function openStorage(services: ReturnType<typeof clientSettings>["services"]): S3Client {
  // An emulator at an IP address has no host name per bucket.
  return new S3Client({ ...services, forcePathStyle: services.endpoint !== undefined });
}

/** What ends the access of sockets. Only a tenant with sockets needs the queue's URL. */
export function cutOffPorts(
  environment: Environment,
  table: Table,
  sqs = new SQSClient(clientSettings(environment).services),
): CutOffPorts {
  const queue = () => openQueue(setting("realtimeQueueUrl", environment), sqs);
  return { sockets: socketStore(table), realtime: { send: async (message) => queue().send(message) }, log: () => {} };
}

/** The AWS endpoints and credentials in `environment`, and the limits of a request. The SDK resolves what is missing. */
export function clientSettings(environment: Environment) {
  const { AWS_ENDPOINT_URL: endpoint, AWS_ENDPOINT_URL_DYNAMODB: tableEndpoint = endpoint } = environment;
  const clientConfig = (url: string | undefined) => ({
    ...(url ? { endpoint: url } : {}),
    ...credentialConfig(environment),
    ...requestOptions(requestTimeouts.commands),
  });
  return { services: clientConfig(endpoint), tableService: clientConfig(tableEndpoint) };
}

function credentialConfig(environment: Environment) {
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  return {
    ...(region ? { region } : {}),
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
  };
}
