import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { DAY, HOUR } from "#base/kernel/time.ts";
import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { toWebhookBody } from "#platforms/platforms.ts";
import { type Host, processHost } from "../host.ts";
import { openAccountPlatforms } from "../support/account-platforms.ts";
import { eraseAccountPorts } from "../support/erase-account-ports.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function accountsPorts(host: Host = processHost): TaskPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const intake = {
    inbound: openQueue(setting("inboundQueueUrl", settings), clients.sqs),
    files: openFiles(setting("rawBucket", settings), clients.s3),
  };
  return {
    ...eraseAccountPorts(host, table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    checkInterval: setting("accountChecks", settings) === "hourly" ? HOUR : DAY,
    eventBodies: eventBodyStore(table),
    messages: messageStore(table),
    conversations: conversationStore(table),
    erasures: erasureStore(table),
    restoredErasures: restoredErasureStore(table),
    renderWebhook: toWebhookBody,
    queueWebhook: (raw, now) => receiveWebhook(intake, raw, now),
    wait: (duration) => new Promise((resolve) => setTimeout(resolve, duration)),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    accountPlatformFor: openAccountPlatforms(host),
    vault: openVault(setting("keyId", settings), clients.kms),
    mails: openQueue(setting("mailsQueueUrl", settings), clients.sqs),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
