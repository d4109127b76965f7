import { parsePlatformSecrets, secretReader } from "../../shared/aws/secrets.ts";
import { platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { Account } from "../../shared/domain/accounts/accounts.ts";
import type { Scope } from "../../shared/domain/inbox/messages.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { platformHttp } from "../../shared/platforms/api/http.ts";
import { mockPlatform } from "../../shared/platforms/api/mock.ts";
import { platformFor, provesAppSecret } from "../../shared/platforms/api/platform-for.ts";
import type { Platform } from "../../shared/platforms/platform.ts";

/**
 * The platforms' APIs, with the connections and the app secret of one process. The secret is read where a call proves
 * it, and cached for five minutes.
 * @returns the platform of an account. A test key's is the mock
 */
export function openPlatforms(): (account: Account, scope?: Scope) => Promise<Platform> {
  const upstream = platformUrlSettings();
  const http = platformHttp();
  const secrets = secretReader(setting("platformSecretId"), parsePlatformSecrets);
  return async ({ platform, connection }, scope = "live") => {
    if (scope === "test") return mockPlatform(() => newUlid(clockNow()), platform);
    return platformFor(connection, upstream, http, provesAppSecret(connection) ? (await secrets()).meta[0] : null);
  };
}
