import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { openFiles } from "../../shared/aws/files.ts";
import { parsePlatformSecrets, secretReader } from "../../shared/aws/secrets.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { DeleteTenantPorts } from "../../shared/flows/deletion/ports.ts";
import { accountPlatformFor } from "../../shared/platforms/accounts/account-platform-for.ts";
import { platformHttp } from "../../shared/platforms/api/http.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { pageUseStore } from "../../shared/stores/accounts/page-uses.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { tenantDeletionStore } from "../../shared/stores/deletion/tenant-deletions.ts";
import { tenantRowStore } from "../../shared/stores/deletion/tenant-rows.ts";
import { uploadRemovalStore } from "../../shared/stores/uploads/upload-removals.ts";
import { clientSettings, cutOffPorts, type Environment } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table, the bucket of uploads, and what ends webhooks at the platforms. */
export function deletionPorts(environment: Environment): DeleteTenantPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const secrets = new SecretsManagerClient(services);
  const platformSecrets = secretReader(setting("platformSecretId", environment), parsePlatformSecrets, secrets);
  const [upstream, http] = [platformUrlSettings(environment), platformHttp()];
  return {
    ...cutOffPorts(environment, table),
    accounts: accountStore(table),
    pageUses: pageUseStore(table),
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
    uploadFiles: openFiles(
      setting("uploadBucket", environment),
      // An emulator at an IP address has no host name per bucket.
      new S3Client({ ...services, forcePathStyle: services.endpoint !== undefined }),
    ),
  };
}
