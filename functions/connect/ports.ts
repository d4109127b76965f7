import { fileURLToPath } from "node:url";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { limitSetting, optionalSetting, platformUrlSettings, setting } from "#base/config/settings.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { userStore } from "#features/access/store/users.ts";
import { connectAccount } from "#features/accounts/flows/connect.ts";
import { loginStateStore } from "#features/accounts/store/login-states.ts";
import { pageChoiceStore } from "#features/accounts/store/page-choices.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { instagramDialog } from "#platforms/instagram/instagram-login.ts";
import { facebookDialog } from "#platforms/messenger/facebook-login.ts";
import { type Host, processHost } from "../host.ts";
import { openLogins } from "../support/account-platforms.ts";
import { connectingPorts } from "../support/connecting-ports.ts";
import { platformCallbackPorts } from "../support/platform-callback-ports.ts";
import { openServiceTable } from "../support/service-table.ts";
import { readDataDeletionPage, readLoginStartPage } from "./page-files.ts";
import type { ConnectFunctionPorts } from "./routes.ts";

/** The build of the function puts the pages beside the bundle. */
const LOGIN_START_PAGE_FOLDER = fileURLToPath(new URL("./login-start", import.meta.url));
const DATA_DELETION_PAGE_FOLDER = fileURLToPath(new URL("./data-deletion", import.meta.url));

/** The ports of the logins by which people connect accounts. */
export function connectPorts(host: Host = processHost): ConnectFunctionPorts {
  const { settings, clients } = host;
  const table = openServiceTable(host);
  const connecting = connectingPorts(host, table);
  const root = serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
  return {
    ...platformCallbackPorts(host, table, root),
    users: userStore(table),
    tenants: tenantStore(table),
    memberships: membershipStore(table),
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute", settings)),
    sessionKeys: async (kid) => (await root(kid)).session,
    loginStateKeys: async (kid) => (await root(kid)).loginState,
    loginDialogs: openLoginDialogs(host),
    logins: openLogins(host),
    loginStates: loginStateStore(table),
    pageChoices: pageChoiceStore(table),
    accounts: connecting.accounts,
    accountChecks: connecting.accountChecks,
    vault: connecting.vault,
    connectAccount: ({ time, ...connection }) => connectAccount(connecting, connection, time),
    consoleOrigin: new URL(setting("consoleUrl", settings)).origin,
    baseUrl: setting("baseUrl", settings),
    pageFiles:
      host.pageFiles ??
      new Map([...readLoginStartPage(LOGIN_START_PAGE_FOLDER), ...readDataDeletionPage(DATA_DELETION_PAGE_FOLDER)]),
  };
}

function openLoginDialogs({ settings }: Host): ConnectFunctionPorts["loginDialogs"] {
  const { instagramWww, facebookWww, graphVersion } = platformUrlSettings(settings);
  const [metaAppId, instagramAppId] = [
    optionalSetting("metaAppId", settings),
    optionalSetting("instagramAppId", settings),
  ];
  const config = optionalSetting("facebookLoginConfig", settings);
  return {
    instagram: instagramAppId === null ? null : instagramDialog(instagramWww, instagramAppId),
    messenger: metaAppId === null ? null : facebookDialog(facebookWww, { appId: metaAppId, graphVersion, config }),
  };
}
