import { filesClient } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { openUploadFiles } from "../../shared/aws/upload-files.ts";
import { openUploadGrants } from "../../shared/aws/upload-grants.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { limitSetting, optionalSetting, setting } from "../../shared/config/settings.ts";
import { tenantShards } from "../../shared/flows/inbox/feed-shards.ts";
import { apiKeyStore } from "../../shared/stores/access/api-keys.ts";
import { auditStore } from "../../shared/stores/access/audit.ts";
import { membershipStore } from "../../shared/stores/access/memberships.ts";
import { requestQuotaStore } from "../../shared/stores/access/request-quota.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { pageUseStore } from "../../shared/stores/accounts/page-uses.ts";
import { openTable } from "../../shared/stores/client.ts";
import { deliveryStore } from "../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { traceStore } from "../../shared/stores/erasure/traces.ts";
import { holdStore } from "../../shared/stores/holds/holds.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../shared/stores/inbox/outbound-messages.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { realtimeTicketStore } from "../../shared/stores/realtime/tickets.ts";
import { attachmentOwnerStore } from "../../shared/stores/sending/attachment-owners.ts";
import { budgetStore } from "../../shared/stores/sending/budgets.ts";
import { dueSendStore } from "../../shared/stores/sending/due-sends.ts";
import { idempotencyKeyStore } from "../../shared/stores/sending/idempotency-keys.ts";
import { sendRecordStore } from "../../shared/stores/sending/send-records.ts";
import { counterStore } from "../../shared/stores/stats/counters.ts";
import { uploadRemovalStore } from "../../shared/stores/uploads/upload-removals.ts";
import { uploadStore } from "../../shared/stores/uploads/uploads.ts";
import { dnsQuotaStore } from "../../shared/stores/webhooks/dns-quota.ts";
import { endpointStore } from "../../shared/stores/webhooks/endpoints.ts";
import type { ApiPorts } from "../routes/api-endpoint.ts";
import { openAccountPlatforms } from "../support/account-platforms.ts";
import { openGate } from "../support/egress-gate.ts";
import { openPlatforms } from "../support/platforms.ts";

/** The ports of the API function. */
export function apiPorts(): ApiPorts {
  const table = openTable(setting("table"));
  const root = serviceKeysReader(setting("rootSecretId"));
  const tenantStates = tenantStateStore(table);
  const uploadBucket = setting("uploadBucket");
  const files = filesClient();
  return {
    audit: auditStore(table),
    counters: counterStore(table),
    conversations: conversationStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    pageUses: pageUseStore(table),
    accountPlatformFor: openAccountPlatforms(),
    endpoints: endpointStore(table),
    deliveries: deliveryStore(table),
    eventBodies: eventBodyStore(table),
    due: dueStore(table),
    sendRecords: sendRecordStore(table),
    budgets: budgetStore(table),
    dueSends: dueSendStore(table),
    holds: holdStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    uploads: uploadStore(table),
    uploadFiles: openUploadFiles(uploadBucket, files),
    uploadGrants: openUploadGrants(uploadBucket, files),
    uploadWork: openQueue(setting("uploadsQueueUrl")),
    idempotencyKeys: idempotencyKeyStore(table),
    feedShards: tenantShards(tenantStates),
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates,
    uploadRemovals: uploadRemovalStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    apiKeys: apiKeyStore(table),
    memberships: membershipStore(table),
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    realtimeUrl: setting("realtimeUrl"),
    users: userStore(table),
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute")),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    retries: openQueue(setting("deliveriesQueueUrl")),
    vault: openVault(setting("keyId")),
    gate: openGate(),
    dnsQuota: dnsQuotaStore(table),
    platformFor: openPlatforms(),
    holdKeys: async () => (await root()).holdSecret,
    baseUrl: setting("baseUrl"),
    peppers: async () => (await root()).pepper,
    sessionKeys: async (kid) => (await root(kid)).session,
    consoleOrigin: new URL(setting("consoleUrl")).origin,
    cursorKeys: async () => (await root()).cursor,
    siteUrl: optionalSetting("siteUrl"),
    log: consoleLog,
  };
}
