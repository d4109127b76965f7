import type { ApiPorts } from "../../../functions/routes/api-endpoint.ts";
import { openFiles } from "../../../shared/aws/files.ts";
import type { Log } from "../../../shared/aws/log.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../../shared/aws/received-messages.ts";
import { deriveServiceKeys, parsePlatformSecrets, secretReader } from "../../../shared/aws/secrets.ts";
import { openVault } from "../../../shared/aws/vault.ts";
import type { AccountRef } from "../../../shared/domain/accounts/accounts.ts";
import type { Scope } from "../../../shared/domain/inbox/messages.ts";
import type { CheckPorts } from "../../../shared/flows/holds/ports.ts";
import { tenantShards } from "../../../shared/flows/inbox/feed-shards.ts";
import { randomToken } from "../../../shared/kernel/bytes.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import { clockNow } from "../../../shared/kernel/time.ts";
import { createGate } from "../../../shared/net/egress-gate.ts";
import type { WebhookClient } from "../../../shared/net/webhook-client.ts";
import { mockPlatform } from "../../../shared/platforms/api/mock.ts";
import { parseUpdates } from "../../../shared/platforms/parse/parse.ts";
import { verifyHandshake, verifySignature } from "../../../shared/platforms/parse/signature.ts";
import type { Platform } from "../../../shared/platforms/platform.ts";
import { apiKeyStore } from "../../../shared/stores/access/api-keys.ts";
import { auditStore } from "../../../shared/stores/access/audit.ts";
import { tenantStateStore } from "../../../shared/stores/access/tenant-states.ts";
import { tenantStore } from "../../../shared/stores/access/tenants.ts";
import { accountStore } from "../../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../../shared/stores/client.ts";
import { quarantineStore } from "../../../shared/stores/dead-letters/quarantine.ts";
import { concurrencySlotStore } from "../../../shared/stores/delivery/concurrency-slots.ts";
import { deliveryStore } from "../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../../shared/stores/delivery/event-bodies.ts";
import { waitingDeliveryStore } from "../../../shared/stores/delivery/waiting-deliveries.ts";
import { erasureStore } from "../../../shared/stores/erasure/erasures.ts";
import { traceStore } from "../../../shared/stores/erasure/traces.ts";
import { holdStore } from "../../../shared/stores/holds/holds.ts";
import { verificationAttemptStore } from "../../../shared/stores/holds/verification-attempts.ts";
import { conversationStore } from "../../../shared/stores/inbox/conversations.ts";
import { messageChangeStore } from "../../../shared/stores/inbox/message-changes.ts";
import { messageStore } from "../../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../../shared/stores/inbox/outbound-messages.ts";
import { pendingChangeStore } from "../../../shared/stores/inbox/pending-changes.ts";
import { profileStore } from "../../../shared/stores/inbox/profiles.ts";
import { attachmentOwnerStore } from "../../../shared/stores/sending/attachment-owners.ts";
import { budgetStore } from "../../../shared/stores/sending/budgets.ts";
import { dueSendStore } from "../../../shared/stores/sending/due-sends.ts";
import { idempotencyKeyStore } from "../../../shared/stores/sending/idempotency-keys.ts";
import { sendRecordStore } from "../../../shared/stores/sending/send-records.ts";
import { counterStore } from "../../../shared/stores/stats/counters.ts";
import { dnsQuotaStore } from "../../../shared/stores/webhooks/dns-quota.ts";
import { endpointStore } from "../../../shared/stores/webhooks/endpoints.ts";
import { type Aws, queueIds } from "./aws.ts";

/** The world outside of AWS. */
export interface Outside {
  readonly platform: Platform;
  readonly webhookClient: WebhookClient;
  readonly log: Log;
}

/** The ports of every function, as a new process with empty caches has them. */
export function processPorts(aws: Aws, { platform, webhookClient, log }: Outside) {
  const table = openTable(aws.table.tableName, aws.table.client);
  const vault = openVault("key", aws.kms);
  const readRoot = secretReader("root", deriveServiceKeys, aws.secrets);
  const tenantStates = tenantStateStore(table);
  const stores = {
    accounts: accountStore(table),
    apiKeys: apiKeyStore(table),
    audit: auditStore(table),
    budgets: budgetStore(table),
    concurrencySlots: concurrencySlotStore(table),
    conversations: conversationStore(table),
    counters: counterStore(table),
    deliveries: deliveryStore(table),
    dnsQuota: dnsQuotaStore(table),
    due: dueStore(table),
    dueSends: dueSendStore(table),
    endpoints: endpointStore(table),
    erasures: erasureStore(table),
    eventBodies: eventBodyStore(table),
    holds: holdStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    messageChanges: messageChangeStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    pendingChanges: pendingChangeStore(table),
    quarantine: quarantineStore(table),
    sendRecords: sendRecordStore(table),
    tenants: tenantStore(table),
    tenantStates,
    traces: traceStore(table),
    verificationAttempts: verificationAttemptStore(table),
    waitingDeliveries: waitingDeliveryStore(table),
  };
  const platformFor = async (account: AccountRef, scope?: Scope): Promise<Platform> =>
    scope === "test" ? mockPlatform(() => newUlid(clockNow()), account.platform) : platform;
  const sending = { vault, feedShards: tenantShards(tenantStates), platformFor };
  const queue = (name: (typeof queueIds)[number]) => openQueue(aws.url(name), aws.sqs);
  const pepper = async () => (await readRoot()).pepper;
  const common = {
    ...stores,
    log,
    vault,
    events: queue("Events"),
    retries: queue("Deliveries"),
    slowRetries: queue("SlowDeliveries"),
    erasureWork: queue("Erasures"),
    receivedMessages: openReceivedMessages(aws.sqs),
  };
  const api: ApiPorts = {
    ...common,
    ...sending,
    pepper,
    // Every host resolves: a lookup outside of the process would decide whether there are any endpoints.
    gate: createGate({ mode: "public", resolver: async () => ["93.184.216.34"] }),
    holdKey: async () => (await readRoot()).holdSecret,
    cursorKey: async () => (await readRoot()).cursor,
    baseUrl: "https://parley.example",
    siteUrl: null,
  };
  const verify: CheckPorts = {
    ...common,
    ...sending,
    challengeKey: async () => (await readRoot()).challenge,
    random: randomToken,
    pageFiles: new Map(),
  };
  return {
    api,
    verify,
    intake: {
      verifySignature,
      verifyHandshake,
      inbound: queue("Inbound"),
      files: openFiles("raw", aws.s3),
      platformSecrets: secretReader("platforms", parsePlatformSecrets, aws.secrets),
      log,
    },
    ingest: { ...common, parseUpdates, files: openFiles("raw", aws.s3), profiles: queue("Profiles") },
    deliver: { ...common, webhookClient, mail: null, random: Math.random },
    profile: { ...common, platformFor: async () => platform, profiles: profileStore(table) },
    erase: common,
    sweep: { ...common, ...sending, files: openFiles("raw", aws.s3) },
    deadLetters: {
      ...common,
      findSourceQueue: (name: string) => queueIds.find((id) => name === `${id}-dead`) ?? null,
    },
    admin: { ...common, pepper },
    redrive: { ...common, parseUpdates, queueFor: queue },
  };
}

export type ProcessPorts = ReturnType<typeof processPorts>;
