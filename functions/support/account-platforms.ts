import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { optionalSetting, platformUrlSettings, setting } from "#base/config/settings.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { AccountPlatform } from "../../shared/platforms/accounts/account-platform.ts";
import { accountPlatformFor } from "../../shared/platforms/accounts/account-platform-for.ts";
import { facebookLogin } from "../../shared/platforms/accounts/facebook-login.ts";
import { instagramLogin } from "../../shared/platforms/accounts/instagram-login.ts";
import type { FacebookLogin, InstagramLogin } from "../../shared/platforms/accounts/login.ts";
import { platformHttp } from "../../shared/platforms/api/http.ts";

/** The calls that keep accounts alive, with the connections and the secrets of one process. */
export function openAccountPlatforms(): (connection: Connection) => Promise<AccountPlatform> {
  const upstream = platformUrlSettings();
  const http = platformHttp();
  const secrets = openSecrets();
  const metaAppId = optionalSetting("metaAppId");
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

export function openLogins(): Logins {
  const upstream = platformUrlSettings();
  const http = platformHttp();
  const secrets = openSecrets();
  const ids = { meta: optionalSetting("metaAppId"), instagram: optionalSetting("instagramAppId") };
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

function openSecrets() {
  return secretReader(setting("platformSecretId"), parsePlatformSecrets);
}
