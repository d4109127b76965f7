import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import type { Table } from "#base/table/client.ts";
import { SYSTEM } from "#features/access/rules/callers.ts";
import type { EraseAccountPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { holderTimeStore } from "#features/accounts/store/holder-times.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import type { EraseRequestPorts } from "#features/erasure/ports.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { traceStore } from "#features/erasure/store/traces.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { uploadRemovalStore } from "#features/uploads/store/upload-removals.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import type { Host } from "../host.ts";
import { hostJournal } from "./journal.ts";

/** The ports of erasing a conversation. */
export function eraseRequestPorts(host: Host, table: Table): EraseRequestPorts {
  const { settings, clients, log } = host;
  return {
    journal: hostJournal(host, table),
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    endpoints: endpointStore(table),
    uploadFiles: openFiles(setting("uploadBucket", settings), clients.s3),
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl", settings), clients.sqs),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    log,
  };
}

/** The ports of erasing the conversations of an account. */
export function eraseAccountPorts(host: Host, table: Table): EraseAccountPorts & JournalPorts {
  const { settings, clients } = host;
  const root = serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
  const erasePorts = eraseRequestPorts(host, table);
  return {
    journal: erasePorts.journal,
    accounts: accountStore(table),
    holderTimes: holderTimeStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    conversations: conversationStore(table),
    dataDeletions: dataDeletionStore(table),
    dataDeletionKeys: async (kid) => (await root(kid)).dataDeletion,
    erasures: erasePorts.erasures,
    eraseConversation: (erasure, hasTime) => eraseConversation(erasePorts, { ...erasure, author: SYSTEM }, hasTime),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
  };
}
