import { openStoredSecret } from "#base/aws/secret-values.ts";
import { SECRET_CACHE_LIFETIME } from "#base/aws/secrets.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import type { Millis } from "#base/kernel/time.ts";
import type {
  ReplaceLeakedRootPorts,
  RotateRootPorts,
  RotateVerifyTokenPorts,
} from "#features/access/flows/rotation/ports.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import { scanSessionRows } from "#features/access/store/session-rows.ts";
import { compose } from "../compose.ts";
import { journal } from "../ports/files.ts";
import { holds, invites, loginTokens, sockets, users } from "../ports/stores.ts";
import { table } from "../ports/table.ts";
import { commandHost, cutOffPorts, type Environment, openClients } from "./tenant-ports.ts";

/** What `rotate root` needs in the deployment that `environment` describes. */
export function rotateRootPorts(environment: Environment, now: () => Millis): RotateRootPorts {
  const clients = openClients(environment);
  const { table: opened, ...ports } = compose(commandHost(environment, clients), { table, journal, users, invites });
  const rootSecretId = setting("rootSecretId", environment);
  const root = serviceKeysReader(rootSecretId, clients.secrets, now);
  return {
    ...ports,
    rootSecret: openStoredSecret(rootSecretId, clients.secrets),
    peppers: async () => (await root()).pepper,
    addressKeys: async () => (await root()).address,
    sessionKeys: async () => (await root()).session,
    rotationRows: () => scanRotationRows(opened),
  };
}

/** What `rotate root --leaked` needs. Only a tenant with sockets needs the queue's URL. */
export function replaceLeakedRootPorts(environment: Environment, now: () => Millis): ReplaceLeakedRootPorts {
  const clients = openClients(environment);
  const selection = { table, journal, users, loginTokens, holds, sockets };
  const { table: opened, ...ports } = compose(commandHost(environment, clients), selection);
  const rootSecretId = setting("rootSecretId", environment);
  return {
    ...cutOffPorts(environment, opened, clients.sqs),
    ...ports,
    rootSecret: openStoredSecret(rootSecretId, clients.secrets),
    readNewestKeys: () => serviceKeysReader(rootSecretId, clients.secrets, now)(),
    cacheLifetime: SECRET_CACHE_LIFETIME,
    sessionRows: () => scanSessionRows(opened),
  };
}

/** What `rotate verify-token` needs. */
export function rotateVerifyTokenPorts(environment: Environment): RotateVerifyTokenPorts {
  const clients = openClients(environment);
  return {
    ...compose(commandHost(environment, clients), { journal }),
    platformSecret: openStoredSecret(setting("platformSecretId", environment), clients.secrets),
  };
}
