import { fileURLToPath } from "node:url";
import { consoleLog } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openVault } from "#base/aws/vault.ts";
import {
  accountsPerTenantSetting,
  limitSetting,
  optionalSetting,
  platformUrlSettings,
  setting,
} from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { userStore } from "#features/access/store/users.ts";
import { connectAccount } from "#features/accounts/flows/connect.ts";
import type { ConnectPorts } from "#features/accounts/ports.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { loginStateStore } from "#features/accounts/store/login-states.ts";
import { pageChoiceStore } from "#features/accounts/store/page-choices.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { facebookDialog, instagramDialog } from "../../shared/platforms/accounts/login-dialogs.ts";
import { openAccountPlatforms, openLogins } from "../support/account-platforms.ts";
import { dutyPorts } from "../support/duty-ports.ts";
import { readConnectPage, readDataDeletionPage } from "./page-files.ts";
import type { ConnectFunctionPorts } from "./routes.ts";

/** The build of the function puts the pages beside the bundle. */
const CONNECT_PAGE_FOLDER = fileURLToPath(new URL("./connect", import.meta.url));
const DATA_DELETION_PAGE_FOLDER = fileURLToPath(new URL("./data-deletion", import.meta.url));

/** The ports of the logins by which people connect accounts. */
export function connectPorts(): ConnectFunctionPorts {
  const table = openTable(setting("table"));
  const accounts = accountStore(table);
  const accountChecks = accountCheckStore(table);
  const vault = openVault(setting("keyId"));
  const connecting: ConnectPorts = {
    accountsMax: accountsPerTenantSetting(),
    accounts,
    accountChecks,
    authorizations: authorizationStore(table),
    pageUses: pageUseStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    vault,
    accountPlatformFor: openAccountPlatforms(),
    log: consoleLog,
  };
  const root = serviceKeysReader(setting("rootSecretId"));
  return {
    ...dutyPorts(table, root),
    users: userStore(table),
    tenants: tenantStore(table),
    memberships: membershipStore(table),
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute")),
    sessionKeys: async (kid) => (await root(kid)).session,
    loginStateKeys: async (kid) => (await root(kid)).loginState,
    loginDialogs: openLoginDialogs(),
    logins: openLogins(),
    loginStates: loginStateStore(table),
    pageChoices: pageChoiceStore(table),
    accounts,
    accountChecks,
    vault,
    connectAccount: ({ time, ...connection }) => connectAccount(connecting, connection, time),
    consoleOrigin: new URL(setting("consoleUrl")).origin,
    baseUrl: setting("baseUrl"),
    pageFiles: new Map([...readConnectPage(CONNECT_PAGE_FOLDER), ...readDataDeletionPage(DATA_DELETION_PAGE_FOLDER)]),
  };
}

function openLoginDialogs(): ConnectFunctionPorts["loginDialogs"] {
  const { instagramWww, facebookWww, graphVersion } = platformUrlSettings();
  const [metaAppId, instagramAppId] = [optionalSetting("metaAppId"), optionalSetting("instagramAppId")];
  const config = optionalSetting("facebookLoginConfig");
  return {
    instagram: instagramAppId === null ? null : instagramDialog(instagramWww, instagramAppId),
    messenger: metaAppId === null ? null : facebookDialog(facebookWww, { appId: metaAppId, graphVersion, config }),
  };
}
