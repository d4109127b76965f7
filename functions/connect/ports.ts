import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { optionalSetting, platformUrlSettings, setting } from "../../shared/config/settings.ts";
import { facebookDialog, instagramDialog } from "../../shared/platforms/accounts/login-dialogs.ts";
import { requestQuotaStore } from "../../shared/stores/access/request-quota.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { openTable } from "../../shared/stores/client.ts";
import type { ConnectRoutePorts } from "../routes/connect-endpoint.ts";

/** The ports of the logins by which people connect accounts. */
export function connectPorts(): ConnectRoutePorts {
  const table = openTable(setting("table"));
  const root = serviceKeysReader(setting("rootSecretId"));
  return {
    users: userStore(table),
    requestQuota: requestQuotaStore(table),
    sessionKeys: async (kid) => (await root(kid)).session,
    loginStateKeys: async (kid) => (await root(kid)).loginState,
    loginDialogs: openLoginDialogs(),
    consoleOrigin: new URL(setting("consoleUrl")).origin,
    baseUrl: setting("baseUrl"),
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
