import { apiKeyStore } from "../../../../shared/stores/access/api-keys.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { inviteCountStore } from "../../../../shared/stores/access/invite-counts.ts";
import { inviteStore } from "../../../../shared/stores/access/invites.ts";
import { loginTokenStore } from "../../../../shared/stores/access/login-tokens.ts";
import { membershipStore } from "../../../../shared/stores/access/memberships.ts";
import { requestQuotaStore } from "../../../../shared/stores/access/request-quota.ts";
import { signInCapStore } from "../../../../shared/stores/access/sign-in-caps.ts";
import { tenantStateStore } from "../../../../shared/stores/access/tenant-states.ts";
import { tenantStatusStore } from "../../../../shared/stores/access/tenant-status.ts";
import { tenantStore } from "../../../../shared/stores/access/tenants.ts";
import { userStore } from "../../../../shared/stores/access/users.ts";
import { accountCheckStore } from "../../../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../../../shared/stores/accounts/authorizations.ts";
import { dataDeletionStore } from "../../../../shared/stores/accounts/data-deletions.ts";
import { holderTimeStore } from "../../../../shared/stores/accounts/holder-times.ts";
import { loginStateStore } from "../../../../shared/stores/accounts/login-states.ts";
import { pageChoiceStore } from "../../../../shared/stores/accounts/page-choices.ts";
import { pageUseStore } from "../../../../shared/stores/accounts/page-uses.ts";
import type { Table } from "../../../../shared/stores/client.ts";
import { quarantineStore } from "../../../../shared/stores/dead-letters/quarantine.ts";
import { tenantDeletionStore } from "../../../../shared/stores/deletion/tenant-deletions.ts";
import { tenantRowStore } from "../../../../shared/stores/deletion/tenant-rows.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../../../shared/stores/delivery/event-bodies.ts";
import { waitingDeliveryStore } from "../../../../shared/stores/delivery/waiting-deliveries.ts";
import { erasureStore } from "../../../../shared/stores/erasure/erasures.ts";
import { traceStore } from "../../../../shared/stores/erasure/traces.ts";
import { holdStore } from "../../../../shared/stores/holds/holds.ts";
import { verificationAttemptStore } from "../../../../shared/stores/holds/verification-attempts.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageChangeStore } from "../../../../shared/stores/inbox/message-changes.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../../../shared/stores/inbox/outbound-messages.ts";
import { pendingChangeStore } from "../../../../shared/stores/inbox/pending-changes.ts";
import { profileStore } from "../../../../shared/stores/inbox/profiles.ts";
import { socketFrameStore } from "../../../../shared/stores/realtime/frame-quota.ts";
import { socketStore } from "../../../../shared/stores/realtime/sockets.ts";
import { realtimeTicketStore } from "../../../../shared/stores/realtime/tickets.ts";
import { attachmentOwnerStore } from "../../../../shared/stores/sending/attachment-owners.ts";
import { budgetStore } from "../../../../shared/stores/sending/budgets.ts";
import { dueSendStore } from "../../../../shared/stores/sending/due-sends.ts";
import { idempotencyKeyStore } from "../../../../shared/stores/sending/idempotency-keys.ts";
import { sendRecordStore } from "../../../../shared/stores/sending/send-records.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { uploadRemovalStore } from "../../../../shared/stores/uploads/upload-removals.ts";
import { uploadStore } from "../../../../shared/stores/uploads/uploads.ts";
import { dnsQuotaStore } from "../../../../shared/stores/webhooks/dns-quota.ts";
import { endpointStore } from "../../../../shared/stores/webhooks/endpoints.ts";

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
    outboundMessages: outboundMessageStore(table),
    eventBodies: eventBodyStore(table),
    deliveries: deliveryStore(table),
    due: dueStore(table),
    sendRecords: sendRecordStore(table),
    budgets: budgetStore(table),
    dueSends: dueSendStore(table),
    holds: holdStore(table),
    verificationAttempts: verificationAttemptStore(table),
    uploads: uploadStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    dnsQuota: dnsQuotaStore(table),
    quarantine: quarantineStore(table),
    uploadRemovals: uploadRemovalStore(table),
    profiles: profileStore(table),
  };
}
