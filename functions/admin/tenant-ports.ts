import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openVault } from "#base/aws/vault.ts";
import { requestOptions, requestTimeouts } from "#base/config/request-times.ts";
import { setting } from "#base/config/settings.ts";
import { openTable, type Table } from "#base/table/client.ts";
import type { KeyPorts, KeyRevocationPorts } from "#features/access/ports.ts";
import { apiKeyStore } from "#features/access/store/api-keys.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import type { LinkPorts } from "#features/accounts/ports.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import type { Journal } from "#features/recovery/journal.ts";
import { openJournal } from "#features/recovery/journal.ts";
import type { OwnerPorts, TenantPorts, TenantStatusPorts } from "#features/tenants/ports.ts";
import { tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { type Tenants, tenantStore } from "#features/tenants/store/tenants.ts";

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
  const table = openTable(setting("table", environment), clients.table);
  const root = serviceKeysReader(setting("rootSecretId", environment), clients.secrets);
  return {
    ...cutOffPorts(environment, table, clients.sqs),
    journal: commandJournal(environment, clients.s3),
    tenants: tenantStore(table),
    tenantStatuses: tenantStatusStore(table),
    invites: inviteStore(table),
    memberships: membershipStore(table),
    users: userStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    apiKeys: apiKeyStore(table),
    vault: openVault(setting("keyId", environment), clients.kms),
    peppers: async () => (await root()).pepper,
    addressKeys: async () => (await root()).address,
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

/** The journal. Only a command that records an act needs the bucket's name. */
export function commandJournal(
  environment: Environment,
  s3 = openStorage(clientSettings(environment).services),
): Journal {
  return openJournal({ put: async (key, body) => openFiles(setting("journalBucket", environment), s3).put(key, body) });
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
