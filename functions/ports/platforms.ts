import { platformUrlSettings } from "#base/config/settings.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { clockNow } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { type Account, callsNoPlatform } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { platformFor as platformOf, provesAppSecret } from "#platforms/platforms.ts";
import type { Composition } from "../compose.ts";
import { platformSecrets } from "./keys.ts";

/**
 * The platforms' APIs, with the connections and the app secret of one process. The secret is read where a call proves
 * it, and cached for five minutes.
 * @returns the platform of an account. That of test keys and of smoke tests is the mock
 */
export function platformFor({
  use,
  settings,
  clients,
}: Composition): (account: Account, scope?: Scope) => Promise<Platform> {
  if (clients.platformFor) return clients.platformFor;
  const upstream = platformUrlSettings(settings);
  const http = platformHttp();
  const secrets = use(platformSecrets);
  return async (account, scope = "live") => {
    const { platform, connection } = account;
    if (scope === "test" || callsNoPlatform(account)) return mockPlatform(() => newUlid(clockNow()), platform);
    return platformOf(connection, upstream, http, provesAppSecret(connection) ? (await secrets()).meta[0] : null);
  };
}
