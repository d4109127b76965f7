import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { openVault } from "#base/aws/vault.ts";
import { platformUrlSettings, setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import type { DeleteTenantPorts } from "#features/tenants/ports.ts";
import { tenantDeletionStore } from "#features/tenants/store/tenant-deletions.ts";
import { tenantRowStore } from "#features/tenants/store/tenant-rows.ts";
import { uploadRemovalStore } from "#features/uploads/store/upload-removals.ts";
import { accountPlatformFor } from "#platforms/accounts/account-platform-for.ts";
import { platformHttp } from "#platforms/api/http.ts";
import { clientSettings, commandJournal, cutOffPorts, type Environment, openStorage } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table, the bucket of uploads, and what ends webhooks at the platforms. */
export function deletionPorts(environment: Environment): DeleteTenantPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const secrets = new SecretsManagerClient(services);
  const platformSecrets = secretReader(setting("platformSecretId", environment), parsePlatformSecrets, secrets);
  const [upstream, http] = [platformUrlSettings(environment), platformHttp()];
  return {
    ...cutOffPorts(environment, table),
    journal: commandJournal(environment),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    pageUses: pageUseStore(table),
    accountWork: {
      send: async (message) =>
        openQueue(setting("accountsQueueUrl", environment), new SQSClient(services)).send(message),
    },
    vault: openVault(setting("keyId", environment), new KMSClient(services)),
    accountPlatformFor: async (connection) => {
      const { meta } = await platformSecrets();
      return accountPlatformFor(connection, { upstream, http, app: { metaAppId: null, metaSecret: meta[0] ?? null } });
    },
    // The command reports what it did. A platform that does not answer needs no line for each account.
    log: () => {},
    tenantDeletions: tenantDeletionStore(table),
    tenantRows: tenantRowStore(table),
    quarantine: quarantineStore(table),
    uploadRemovals: uploadRemovalStore(table),
    uploadFiles: openFiles(setting("uploadBucket", environment), openStorage(services)),
  };
}
