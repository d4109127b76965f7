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
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { commandJournal, cutOffPorts, type Environment, openClients } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table, the bucket of uploads, and what ends webhooks at the platforms. */
export function deletionPorts(environment: Environment, clients = openClients(environment)): DeleteTenantPorts {
  const table = openTable(setting("table", environment), clients.table);
  const platformSecrets = secretReader(setting("platformSecretId", environment), parsePlatformSecrets, clients.secrets);
  const [upstream, http] = [platformUrlSettings(environment), platformHttp()];
  return {
    ...cutOffPorts(environment, table, clients.sqs),
    journal: commandJournal(environment, clients.s3),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    pageUses: pageUseStore(table),
    accountWork: {
      send: async (message) => openQueue(setting("accountsQueueUrl", environment), clients.sqs).send(message),
    },
    vault: openVault(setting("keyId", environment), clients.kms),
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
    uploadFiles: openFiles(setting("uploadBucket", environment), clients.s3),
  };
}
