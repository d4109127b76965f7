import { fileURLToPath } from "node:url";
import { openQueue } from "#base/aws/queues.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { clockNow } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { challengeKeyReader } from "#features/holds/flows/challenge-keys.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { challengeKeyStore } from "#features/holds/store/challenge-keys.ts";
import { checkAttemptStore } from "#features/holds/store/check-attempts.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { tenantShards } from "#features/inbox/flows/feed-shards.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { budgetStore } from "#features/sending/store/budgets.ts";
import { dueSendStore, sendRecordStore } from "#features/sending/store/send-records.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { type Host, processHost } from "../host.ts";
import { openPlatforms } from "../support/platforms.ts";
import { openServiceTable } from "../support/service-table.ts";
import { readCheckPage } from "./page-files.ts";

/** The build of the function puts the page beside the bundle. */
const CHECK_PAGE_FOLDER = fileURLToPath(new URL("./check-page", import.meta.url));

/** The ports of the check page. They send held messages and give access to nothing else of a tenant. */
export function checkPagePorts(host: Host = processHost): CheckPagePorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const vault = openVault(setting("keyId", settings), clients.kms);
  const challengeKeysAt = challengeKeyReader({ challengeKeys: challengeKeyStore(table), vault, random: randomToken });
  return {
    holds: holdStore(table),
    checkAttempts: checkAttemptStore(table),
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
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    feedShards: tenantShards(tenantStateStore(table)),
    vault,
    platformFor: openPlatforms(host),
    challengeKeys: () => challengeKeysAt(clockNow()),
    random: randomToken,
    pageFiles: host.pageFiles ?? readCheckPage(CHECK_PAGE_FOLDER),
    log,
  };
}
