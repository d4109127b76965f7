import { openQueue } from "#base/aws/queues.ts";
import { platformUrlSettings, setting } from "#base/config/settings.ts";
import type { DeleteTenantPorts } from "#features/tenants/ports.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { compose } from "../compose.ts";
import { journal, uploadObjects } from "../ports/files.ts";
import { platformSecrets, vault } from "../ports/keys.ts";
import {
  accountChecks,
  accounts,
  pageUses,
  quarantine,
  tenantDeletions,
  tenantRows,
  uploadRemovals,
} from "../ports/stores.ts";
import { table } from "../ports/table.ts";
import { commandHost, cutOffPorts, type Environment, openClients } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table, the bucket of uploads, and what ends webhooks at the platforms. */
export function deletionPorts(environment: Environment, clients = openClients(environment)): DeleteTenantPorts {
  const {
    table: opened,
    platformSecrets: readSecrets,
    ...ports
  } = compose(commandHost(environment, clients), {
    table,
    platformSecrets,
    journal,
    accounts,
    accountChecks,
    pageUses,
    vault,
    tenantDeletions,
    tenantRows,
    quarantine,
    uploadRemovals,
    uploadFiles: uploadObjects,
  });
  const [upstream, http] = [platformUrlSettings(environment), platformHttp()];
  return {
    ...cutOffPorts(environment, opened, clients.sqs),
    ...ports,
    accountWork: {
      send: async (message) => openQueue(setting("accountsQueueUrl", environment), clients.sqs).send(message),
    },
    accountPlatformFor: async (connection) => {
      const { meta } = await readSecrets();
      return accountPlatformFor(connection, { upstream, http, app: { metaAppId: null, metaSecret: meta[0] ?? null } });
    },
    // The command reports what it did. A platform that does not answer needs no line for each account.
    log: () => {},
  };
}
