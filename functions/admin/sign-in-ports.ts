import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import type { SignInRequestPorts } from "#features/access/flows/sign-in/ports.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** The ports for creating a sign-in link in the deployment that `environment` describes. */
export function signInPorts(environment: Environment): Pick<SignInRequestPorts, "loginKeys" | "loginTokens"> {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const root = serviceKeysReader(setting("rootSecretId", environment), new SecretsManagerClient(services));
  return { loginTokens: loginTokenStore(table), loginKeys: async () => (await root()).loginLink };
}
