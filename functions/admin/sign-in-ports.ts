import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import type { OperatorLinkPorts } from "#features/access/flows/sign-in/ports.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { userStore } from "#features/access/store/users.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** The ports for creating sign-in links in the deployment that `environment` describes. */
export function operatorLinkPorts(environment: Environment): OperatorLinkPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const root = serviceKeysReader(setting("rootSecretId", environment), new SecretsManagerClient(services));
  return {
    loginTokens: loginTokenStore(table),
    users: userStore(table),
    invites: inviteStore(table),
    audit: auditStore(table),
    loginKeys: async () => (await root()).loginLink,
    addressKeys: async () => (await root()).address,
  };
}
