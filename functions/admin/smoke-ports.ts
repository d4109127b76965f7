import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import { smokeRunStore } from "#features/tenants/store/smoke-runs.ts";
import { deletionPorts } from "./deletion-ports.ts";
import { clientSettings, type Environment, tenantPorts } from "./tenant-ports.ts";

/** What `smoke` needs: what creates a tenant and deletes it, its own rows, and the app secrets. */
export function smokePorts(environment: Environment) {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const secretId = setting("platformSecretId", environment);
  return {
    setup: tenantPorts(environment),
    deletion: deletionPorts(environment),
    runs: smokeRunStore(table),
    readSecrets: secretReader(secretId, parsePlatformSecrets, new SecretsManagerClient(services)),
  };
}
