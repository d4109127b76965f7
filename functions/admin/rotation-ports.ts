import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { SECRET_CACHE_LIFETIME } from "#base/aws/secrets.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import type { Millis } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type {
  ReplaceLeakedRootPorts,
  RotateRootPorts,
  RotateVerifyTokenPorts,
} from "#features/access/flows/rotation/ports.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import { scanSessionRows } from "#features/access/store/session-rows.ts";
import { userStore } from "#features/access/store/users.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { clientSettings, commandJournal, cutOffPorts, type Environment } from "./tenant-ports.ts";

/** What `rotate root` needs in the deployment that `environment` describes. */
export function rotateRootPorts(environment: Environment, now: () => Millis): RotateRootPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  const rootSecretId = setting("rootSecretId", environment);
  const secrets = new SecretsManagerClient(services);
  const root = serviceKeysReader(rootSecretId, secrets, now);
  return {
    journal: commandJournal(environment),
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
    journal: commandJournal(environment),
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
  return {
    journal: commandJournal(environment),
    platformSecret: openStoredSecret(setting("platformSecretId", environment), secrets),
  };
}
