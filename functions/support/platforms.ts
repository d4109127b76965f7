import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { platformUrlSettings, setting } from "#base/config/settings.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { clockNow } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { type Account, callsNoPlatform } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { platformFor, provesAppSecret } from "#platforms/platforms.ts";
import type { Host } from "../host.ts";

/**
 * The platforms' APIs, with the connections and the app secret of one process. The secret is read where a call proves
 * it, and cached for five minutes.
 * @returns the platform of an account. That of test keys and of smoke tests is the mock
 */
export function openPlatforms({ settings, clients }: Host): (account: Account, scope?: Scope) => Promise<Platform> {
  if (clients.platformFor) return clients.platformFor;
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = secretReader(setting("platformSecretId", settings), parsePlatformSecrets, clients.secrets);
  return async (account, scope = "live") => {
    const { platform, connection } = account;
    if (scope === "test" || callsNoPlatform(account)) return mockPlatform(() => newUlid(clockNow()), platform);
    return platformFor(connection, upstream, http, provesAppSecret(connection) ? (await secrets()).meta[0] : null);
  };
}
