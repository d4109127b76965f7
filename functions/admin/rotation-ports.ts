import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { openStoredSecret } from "../../shared/aws/secret-values.ts";
import { SECRET_CACHE_LIFETIME } from "../../shared/aws/secrets.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { setting } from "../../shared/config/settings.ts";
import type {
  ReplaceLeakedRootPorts,
  RotateRootPorts,
  RotateVerifyTokenPorts,
} from "../../shared/flows/access/rotation/ports.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { inviteStore } from "../../shared/stores/access/invites.ts";
import { loginTokenStore } from "../../shared/stores/access/login-tokens.ts";
import { scanRotationRows } from "../../shared/stores/access/rotation-leftovers.ts";
import { scanSessionRows } from "../../shared/stores/access/session-rows.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { openTable } from "../../shared/stores/client.ts";
import { holdStore } from "../../shared/stores/holds/holds.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { clientSettings, cutOffPorts, type Environment } from "./tenant-ports.ts";

/** What `rotate root` needs in the deployment that `environment` describes. */
export function rotateRootPorts(environment: Environment, now: () => Millis): RotateRootPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const rootSecretId = setting("rootSecretId", environment);
  const secrets = new SecretsManagerClient(services);
  const root = serviceKeysReader(rootSecretId, secrets, now);
  return {
    rootSecret: openStoredSecret(rootSecretId, secrets),
    peppers: async () => (await root()).pepper,
    addressKeys: async () => (await root()).address,
    sessionKeys: async () => (await root()).session,
    rotationRows: () => scanRotationRows(table),
    users: userStore(table),
    invites: inviteStore(table),
  };
}

/** What `rotate root --leaked` needs. Only a tenant with sockets needs the queue's URL. */
export function replaceLeakedRootPorts(environment: Environment, now: () => Millis): ReplaceLeakedRootPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const rootSecretId = setting("rootSecretId", environment);
  const secrets = new SecretsManagerClient(services);
  return {
    ...cutOffPorts(environment, table),
    sockets: socketStore(table),
    rootSecret: openStoredSecret(rootSecretId, secrets),
    readNewestKeys: () => serviceKeysReader(rootSecretId, secrets, now)(),
    cacheLifetime: SECRET_CACHE_LIFETIME,
    sessionRows: () => scanSessionRows(table),
    users: userStore(table),
    loginTokens: loginTokenStore(table),
    holds: holdStore(table),
  };
}

/** What `rotate verify-token` needs. */
export function rotateVerifyTokenPorts(environment: Environment): RotateVerifyTokenPorts {
  const secrets = new SecretsManagerClient(clientSettings(environment).services);
  return { platformSecret: openStoredSecret(setting("platformSecretId", environment), secrets) };
}
