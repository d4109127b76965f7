import type { Table } from "#base/table/client.ts";
import { apiKeyStore } from "#features/access/store/api-keys.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { inviteCountStore } from "#features/access/store/invite-counts.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { signInCapStore } from "#features/access/store/sign-in-caps.ts";
import { userStore } from "#features/access/store/users.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { holderTimeStore } from "#features/accounts/store/holder-times.ts";
import { loginStateStore } from "#features/accounts/store/login-states.ts";
import { pageChoiceStore } from "#features/accounts/store/page-choices.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { waitingDeliveryStore } from "#features/delivery/store/waiting-deliveries.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { traceStore } from "#features/erasure/store/traces.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { nameWaitStore } from "#features/inbox/store/name-waits.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { socketFrameStore } from "#features/realtime/store/frame-quota.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { realtimeTicketStore } from "#features/realtime/store/tickets.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { attachmentOwnerStore } from "#features/sending/store/attachment-owners.ts";
import { budgetStore } from "#features/sending/store/budgets.ts";
import { fetchedMessageStore } from "#features/sending/store/fetched-messages.ts";
import { idempotencyKeyStore } from "#features/sending/store/idempotency-keys.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantDeletionStore } from "#features/tenants/store/tenant-deletions.ts";
import { tenantRowStore } from "#features/tenants/store/tenant-rows.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { tenantStatusStore } from "#features/tenants/store/tenant-status.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { uploadRemovalStore } from "#features/uploads/store/upload-removals.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { dnsQuotaStore } from "#features/webhooks/store/dns-quota.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { noJournal } from "../../features/recovery/support/no-journal.ts";

/** The stores of every function, on one table, without the slots of slow endpoints, whose jitter each caller chooses. */
export function openStores(table: Table) {
  return {
    tenants: tenantStore(table),
    memberships: membershipStore(table),
    invites: inviteStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    holderTimes: holderTimeStore(table),
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    dataDeletions: dataDeletionStore(table),
    apiKeys: apiKeyStore(table),
    loginTokens: loginTokenStore(table),
    loginStates: loginStateStore(table),
    ...noJournal,
    pageChoices: pageChoiceStore(table),
    signInCaps: signInCapStore(table),
    users: userStore(table),
    requestQuota: requestQuotaStore(table),
    inviteCounts: inviteCountStore(table),
    endpoints: endpointStore(table),
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    socketFrames: socketFrameStore(table),
    waitingDeliveries: waitingDeliveryStore(table),
    audit: auditStore(table),
    counters: counterStore(table),
    conversations: conversationStore(table),
    messageChanges: messageChangeStore(table),
    pendingChanges: pendingChangeStore(table),
    tenantStates: tenantStateStore(table),
    tenantStatuses: tenantStatusStore(table),
    tenantDeletions: tenantDeletionStore(table),
    tenantRows: tenantRowStore(table),
    erasures: erasureStore(table),
    traces: traceStore(table),
    messages: messageStore(table),
    nameWaits: nameWaitStore(table),
    outboundMessages: outboundMessageStore(table),
    eventBodies: eventBodyStore(table),
    deliveries: deliveryStore(table),
    due: dueStore(table),
    sendRecords: sendRecordStore(table),
    budgets: budgetStore(table),
    dueSends: dueSendStore(table),
    fetchedMessages: fetchedMessageStore(table),
    restoredErasures: restoredErasureStore(table),
    restores: restoreStore(table),
    holds: holdStore(table),
    checkAttempts: checkAttemptStore(table),
    uploads: uploadStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    dnsQuota: dnsQuotaStore(table),
    quarantine: quarantineStore(table),
    uploadRemovals: uploadRemovalStore(table),
    profiles: profileStore(table),
  };
}
