import { setTimeout } from "node:timers/promises";
import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { TaskPorts } from "../../shared/flows/accounts/run-task.ts";
import { receiveWebhook } from "../../shared/flows/inbox/inbound-webhooks.ts";
import { DAY, HOUR } from "../../shared/kernel/time.ts";
import { toWebhookBody } from "../../shared/platforms/accounts/history.ts";
import { membershipStore } from "../../shared/stores/access/memberships.ts";
import { tenantStore } from "../../shared/stores/access/tenants.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../shared/stores/accounts/authorizations.ts";
import { pageUseStore } from "../../shared/stores/accounts/page-uses.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { erasureStore } from "../../shared/stores/erasure/erasures.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../shared/stores/inbox/messages.ts";
import { openAccountPlatforms } from "../support/account-platforms.ts";
import { eraseAccountPorts } from "../support/erase-account-ports.ts";
import { mailer } from "../support/mail-sender.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function accountsPorts(): TaskPorts & WorkerPorts {
  const table = openTable(setting("table"));
  const intake = { inbound: openQueue(setting("inboundQueueUrl")), files: openFiles(setting("rawBucket")) };
  return {
    ...eraseAccountPorts(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    checkInterval: setting("accountChecks") === "hourly" ? HOUR : DAY,
    eventBodies: eventBodyStore(table),
    messages: messageStore(table),
    conversations: conversationStore(table),
    erasures: erasureStore(table),
    renderWebhook: toWebhookBody,
    queueWebhook: (raw, now) => receiveWebhook(intake, raw, now),
    wait: (duration) => setTimeout(duration),
    memberships: membershipStore(table),
    users: userStore(table),
    tenants: tenantStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    accountPlatformFor: openAccountPlatforms(),
    vault: openVault(setting("keyId")),
    mail: mailer(),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
