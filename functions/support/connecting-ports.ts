import { openQueue } from "#base/aws/queues.ts";
import { openVault } from "#base/aws/vault.ts";
import { accountsPerTenantSetting, setting } from "#base/config/settings.ts";
import type { Table } from "#base/table/client.ts";
import type { ConnectPorts } from "#features/accounts/ports.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import type { Host } from "../host.ts";
import { openAccountPlatforms } from "./account-platforms.ts";

/** The ports of connecting an account. */
export function connectingPorts(host: Host, table: Table) {
  const { settings, clients, log } = host;
  return {
    accountsMax: accountsPerTenantSetting(settings),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    vault: openVault(setting("keyId", settings), clients.kms),
    accountPlatformFor: openAccountPlatforms(host),
    log,
  } satisfies ConnectPorts;
}
