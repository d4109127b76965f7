import { openQueue } from "../../shared/aws/queues.ts";
import { parsePlatformSecrets, secretReader } from "../../shared/aws/secrets.ts";
import type { ReadServiceKeys } from "../../shared/aws/service-keys.ts";
import { setting } from "../../shared/config/settings.ts";
import { parseSignedRequest } from "../../shared/platforms/parse/signed-request.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../shared/stores/accounts/authorizations.ts";
import { dataDeletionStore } from "../../shared/stores/accounts/data-deletions.ts";
import type { Table } from "../../shared/stores/client.ts";
import type { DutyPorts } from "../routes/accounts/duties.ts";

/** The ports of the platforms' own requests, without the files of the page. */
export function dutyPorts(table: Table, root: ReadServiceKeys): Omit<DutyPorts, "pageFiles"> {
  return {
    accounts: accountStore(table),
    authorizations: authorizationStore(table),
    dataDeletions: dataDeletionStore(table),
    dataDeletionKeys: async (kid) => (await root(kid)).dataDeletion,
    accountWork: openQueue(setting("accountsQueueUrl")),
    platformSecrets: secretReader(setting("platformSecretId"), parsePlatformSecrets),
    parseSignedRequest,
    baseUrl: setting("baseUrl"),
  };
}
