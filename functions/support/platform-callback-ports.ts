import { openQueue } from "#base/aws/queues.ts";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import type { ReadServiceKeys } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import type { Table } from "#base/table/client.ts";
import type { PlatformCallbackPorts } from "#features/accounts/routes/platform-callbacks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { parseSignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import type { Host } from "../host.ts";
import { hostJournal } from "./journal.ts";

/** The ports of the platforms' own requests, without the files of the page. */
export function platformCallbackPorts(
  host: Host,
  table: Table,
  root: ReadServiceKeys,
): Omit<PlatformCallbackPorts, "pageFiles"> {
  const { settings, clients } = host;
  return {
    journal: hostJournal(host, table),
    accounts: accountStore(table),
    authorizations: authorizationStore(table),
    dataDeletions: dataDeletionStore(table),
    dataDeletionKeys: async (kid) => (await root(kid)).dataDeletion,
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    platformSecrets: secretReader(setting("platformSecretId", settings), parsePlatformSecrets, clients.secrets),
    parseSignedRequest,
    baseUrl: setting("baseUrl", settings),
  };
}
