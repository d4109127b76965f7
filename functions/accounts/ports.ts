import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { TaskPorts } from "../../shared/flows/accounts/run-task.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../shared/stores/accounts/authorizations.ts";
import { pageUseStore } from "../../shared/stores/accounts/page-uses.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { openAccountPlatforms } from "../support/account-platforms.ts";
import { eraseAccountPorts } from "../support/erase-account-ports.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function accountsPorts(): TaskPorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    ...eraseAccountPorts(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    vault: openVault(setting("keyId")),
    accountPlatformFor: openAccountPlatforms(),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
