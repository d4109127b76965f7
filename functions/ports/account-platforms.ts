import { optionalSetting, platformUrlSettings } from "#base/config/settings.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { type InstagramLogin, instagramDialog, instagramLogin } from "#platforms/instagram/instagram-login.ts";
import { type FacebookLogin, facebookDialog, facebookLogin } from "#platforms/messenger/facebook-login.ts";
import { accountPlatformFor as accountPlatformOf } from "#platforms/platforms.ts";
import type { Composition } from "../compose.ts";
import type { Host } from "../host.ts";
import { platformSecrets } from "./keys.ts";

/** The calls of the accounts' health checks, with the connections and the secrets of one process. */
export function accountPlatformFor({
  use,
  settings,
  clients,
}: Composition): (connection: Connection) => Promise<AccountPlatform> {
  if (clients.accountPlatformFor) return clients.accountPlatformFor;
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = use(platformSecrets);
  const metaAppId = optionalSetting("metaAppId", settings);
  return async (connection) => {
    const { meta } = await secrets();
    return accountPlatformOf(connection, { upstream, http, app: { metaAppId, metaSecret: meta[0] ?? null } });
  };
}

/** The platforms' logins. Null where the id or the secret of the app is not set. */
export interface Logins {
  instagram(): Promise<InstagramLogin | null>;
  facebook(): Promise<FacebookLogin | null>;
}

export function logins({ use, settings }: Composition): Logins {
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = use(platformSecrets);
  const ids = { meta: optionalSetting("metaAppId", settings), instagram: optionalSetting("instagramAppId", settings) };
  return {
    instagram: async () => {
      const appSecret = (await secrets()).instagram[0];
      return ids.instagram && appSecret ? instagramLogin({ upstream, http, appId: ids.instagram, appSecret }) : null;
    },
    facebook: async () => {
      const appSecret = (await secrets()).meta[0];
      return ids.meta && appSecret ? facebookLogin({ upstream, http, appId: ids.meta, appSecret }) : null;
    },
  };
}

/** The platforms' pages on which a person grants access. Null where the id of the app is not set. */
export function loginDialogs({ settings }: Host) {
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
