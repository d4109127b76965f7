import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { CheckPorts } from "../../shared/flows/holds/ports.ts";
import { tenantShards } from "../../shared/flows/inbox/feed-shards.ts";
import { randomToken } from "../../shared/kernel/bytes.ts";
import { auditStore } from "../../shared/stores/access/audit.ts";
import { tenantStateStore } from "../../shared/stores/access/tenant-states.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { holdStore } from "../../shared/stores/holds/holds.ts";
import { verificationAttemptStore } from "../../shared/stores/holds/verification-attempts.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { outboundMessageStore } from "../../shared/stores/inbox/outbound-messages.ts";
import { budgetStore } from "../../shared/stores/sending/budgets.ts";
import { dueSendStore } from "../../shared/stores/sending/due-sends.ts";
import { sendRecordStore } from "../../shared/stores/sending/send-records.ts";
import { openPlatforms } from "../support/platforms.ts";
import { readCheckPage } from "./page-files.ts";

/** The build of the function puts the page beside the bundle. */
const CHECK_PAGE_FOLDER = fileURLToPath(new URL("./check", import.meta.url));

/** The ports of the check page. They send held messages and give access to nothing else of a tenant. */
export function checkPorts(): CheckPorts {
  const table = openTable(setting("table"));
  const root = serviceKeysReader(setting("rootSecretId"));
  return {
    holds: holdStore(table),
    verificationAttempts: verificationAttemptStore(table),
    audit: auditStore(table),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    budgets: budgetStore(table),
    sendRecords: sendRecordStore(table),
    dueSends: dueSendStore(table),
    outboundMessages: outboundMessageStore(table),
    messages: messageStore(table),
    erasures: erasureStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    realtime: openQueue(setting("realtimeQueueUrl")),
    feedShards: tenantShards(tenantStateStore(table)),
    vault: openVault(setting("keyId")),
    platformFor: openPlatforms(),
    challengeKeys: async () => (await root()).challenge,
    random: randomToken,
    pageFiles: readCheckPage(CHECK_PAGE_FOLDER),
    log: consoleLog,
  };
}
