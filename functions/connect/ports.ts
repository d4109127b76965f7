import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { openVault } from "../../shared/aws/vault.ts";
import {
  accountsPerTenantSetting,
  limitSetting,
  optionalSetting,
  platformUrlSettings,
  setting,
} from "../../shared/config/settings.ts";
import { connectAccount } from "../../shared/flows/accounts/connect.ts";
import type { ConnectPorts } from "../../shared/flows/accounts/ports.ts";
import { facebookDialog, instagramDialog } from "../../shared/platforms/accounts/login-dialogs.ts";
import { membershipStore } from "../../shared/stores/access/memberships.ts";
import { requestQuotaStore } from "../../shared/stores/access/request-quota.ts";
import { tenantStore } from "../../shared/stores/access/tenants.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { accountCheckStore } from "../../shared/stores/accounts/account-checks.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { authorizationStore } from "../../shared/stores/accounts/authorizations.ts";
import { loginStateStore } from "../../shared/stores/accounts/login-states.ts";
import { pageChoiceStore } from "../../shared/stores/accounts/page-choices.ts";
import { pageUseStore } from "../../shared/stores/accounts/page-uses.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import type { ConnectRoutePorts } from "../routes/connect-endpoint.ts";
import { openAccountPlatforms, openLogins } from "../support/account-platforms.ts";
import { dutyPorts } from "../support/duty-ports.ts";
import { readConnectPage, readDataDeletionPage } from "./page-files.ts";

/** The build of the function puts the pages beside the bundle. */
const CONNECT_PAGE_FOLDER = fileURLToPath(new URL("./connect", import.meta.url));
const DATA_DELETION_PAGE_FOLDER = fileURLToPath(new URL("./data-deletion", import.meta.url));

/** The ports of the logins by which people connect accounts. */
export function connectPorts(): ConnectRoutePorts {
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

function openLoginDialogs(): ConnectRoutePorts["loginDialogs"] {
  const { instagramWww, facebookWww, graphVersion } = platformUrlSettings();
  const [metaAppId, instagramAppId] = [optionalSetting("metaAppId"), optionalSetting("instagramAppId")];
  const config = optionalSetting("facebookLoginConfig");
  return {
    instagram: instagramAppId === null ? null : instagramDialog(instagramWww, instagramAppId),
    messenger: metaAppId === null ? null : facebookDialog(facebookWww, { appId: metaAppId, graphVersion, config }),
  };
}
