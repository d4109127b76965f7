import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { setting } from "../../shared/config/settings.ts";
import type { EraseAccountPorts } from "../../shared/flows/accounts/duties/ports.ts";
import { eraseConversation } from "../../shared/flows/erasure/erase.ts";
import type { ErasePorts } from "../../shared/flows/erasure/ports.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../shared/stores/accounts/authorizations.ts";
import { dataDeletionStore } from "../../shared/stores/accounts/data-deletions.ts";
import { holderTimeStore } from "../../shared/stores/accounts/holder-times.ts";
import type { Table } from "../../shared/stores/client.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { traceStore } from "../../shared/stores/erasure/traces.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { uploadRemovalStore } from "../../shared/stores/uploads/upload-removals.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";

/** The ports of erasing the conversations of an account. */
export function eraseAccountPorts(table: Table): EraseAccountPorts {
  const root = serviceKeysReader(setting("rootSecretId"));
  const erasures = erasureStore(table);
  const erasePorts: ErasePorts = {
    erasures,
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    endpoints: endpointStore(table),
    uploadFiles: openFiles(setting("uploadBucket")),
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    log: consoleLog,
  };
  return {
    accounts: accountStore(table),
    holderTimes: holderTimeStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    conversations: conversationStore(table),
    dataDeletions: dataDeletionStore(table),
    dataDeletionKeys: async (kid) => (await root(kid)).dataDeletion,
    erasures,
    eraseConversation: (erasure, hasTime) => eraseConversation(erasePorts, { ...erasure, actor: "system" }, hasTime),
    accountWork: openQueue(setting("accountsQueueUrl")),
  };
}
