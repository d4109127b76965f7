import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { optionalSetting, platformUrlSettings, setting } from "#base/config/settings.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import type { InstagramLogin } from "#platforms/instagram/instagram-login.ts";
import { instagramLogin } from "#platforms/instagram/instagram-login.ts";
import type { FacebookLogin } from "#platforms/messenger/facebook-login.ts";
import { facebookLogin } from "#platforms/messenger/facebook-login.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import type { Host } from "../host.ts";

/** The calls of the accounts' health checks, with the connections and the secrets of one process. */
export function openAccountPlatforms(host: Host): (connection: Connection) => Promise<AccountPlatform> {
  const { settings, clients } = host;
  if (clients.accountPlatformFor) return clients.accountPlatformFor;
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = openSecrets(host);
  const metaAppId = optionalSetting("metaAppId", settings);
  return async (connection) => {
    const { meta } = await secrets();
    return accountPlatformFor(connection, { upstream, http, app: { metaAppId, metaSecret: meta[0] ?? null } });
  };
}

/** The platforms' logins. Null where the id or the secret of the app is not set. */
export interface Logins {
  instagram(): Promise<InstagramLogin | null>;
  facebook(): Promise<FacebookLogin | null>;
}

export function openLogins(host: Host): Logins {
  const { settings } = host;
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = openSecrets(host);
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

function openSecrets({ settings, clients }: Host) {
  return secretReader(setting("platformSecretId", settings), parsePlatformSecrets, clients.secrets);
}
