import { filesClient } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openUploadFiles, openUploadGrants } from "#base/aws/upload-files.ts";
import { openVault } from "#base/aws/vault.ts";
import { limitSetting, optionalSetting, setting, simulatorUrlSetting } from "#base/config/settings.ts";
import { apiKeyStore } from "#features/access/store/api-keys.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { userStore } from "#features/access/store/users.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { traceStore } from "#features/erasure/store/traces.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { tenantShards } from "#features/inbox/flows/feed-shards.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { realtimeTicketStore } from "#features/realtime/store/tickets.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { attachmentOwnerStore } from "#features/sending/store/attachment-owners.ts";
import { budgetStore } from "#features/sending/store/budgets.ts";
import { fetchedMessageStore } from "#features/sending/store/fetched-messages.ts";
import { idempotencyKeyStore } from "#features/sending/store/idempotency-keys.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { uploadRemovalStore } from "#features/uploads/store/upload-removals.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { dnsQuotaStore } from "#features/webhooks/store/dns-quota.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openAccountPlatforms } from "../support/account-platforms.ts";
import { openGate } from "../support/egress-gate.ts";
import { hostJournal } from "../support/journal.ts";
import { openPlatforms } from "../support/platforms.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { ApiPorts } from "./routes.ts";

/** The ports of the API function. */
export function apiPorts(host: Host = processHost): ApiPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const root = serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
  const tenantStates = tenantStateStore(table);
  const uploadBucket = setting("uploadBucket", settings);
  const files = clients.s3 ?? filesClient();
  return {
    journal: hostJournal(host, table),
    audit: auditStore(table),
    counters: counterStore(table),
    conversations: conversationStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    pageUses: pageUseStore(table),
    accountPlatformFor: openAccountPlatforms(host),
    endpoints: endpointStore(table),
    deliveries: deliveryStore(table),
    eventBodies: eventBodyStore(table),
    due: dueStore(table),
    sendRecords: sendRecordStore(table),
    budgets: budgetStore(table),
    dueSends: dueSendStore(table),
    fetchedMessages: fetchedMessageStore(table),
    restoredErasures: restoredErasureStore(table),
    holds: holdStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    uploads: uploadStore(table),
    uploadFiles: openUploadFiles(uploadBucket, files),
    uploadGrants: openUploadGrants(uploadBucket, files),
    uploadWork: openQueue(setting("uploadsQueueUrl", settings), clients.sqs),
    idempotencyKeys: idempotencyKeyStore(table),
    feedShards: tenantShards(tenantStates),
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates,
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl", settings), clients.sqs),
    apiKeys: apiKeyStore(table),
    memberships: membershipStore(table),
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    realtimeUrl: setting("realtimeUrl", settings),
    users: userStore(table),
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute", settings)),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    retries: openQueue(setting("deliveriesQueueUrl", settings), clients.sqs),
    vault: openVault(setting("keyId", settings), clients.kms),
    gate: openGate(host),
    dnsQuota: dnsQuotaStore(table),
    platformFor: openPlatforms(host),
    holdKeys: async () => (await root()).holdSecret,
    baseUrl: setting("baseUrl", settings),
    peppers: async () => (await root()).pepper,
    sessionKeys: async (kid) => (await root(kid)).session,
    consoleOrigin: new URL(setting("consoleUrl", settings)).origin,
    cursorKeys: async () => (await root()).cursor,
    siteUrl: optionalSetting("siteUrl", settings),
    simulatorUrl: simulatorUrlSetting(settings),
    log,
  };
}
