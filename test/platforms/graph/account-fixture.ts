import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform, upstreamAt } from "./fake-platform.ts";

export const CALLS_NOW = Date.parse("2026-11-22T10:00:00Z");
export const PAGE = "104512347788901";
export const INSTAGRAM = "17841405793187218";
export const app = { metaAppId: "900000000000001", metaSecret: "the meta secret" };
export const accounts = {
  instagram_login: { platform: "instagram", externalId: INSTAGRAM, pageId: null },
  instagram_page: { platform: "instagram", externalId: INSTAGRAM, pageId: PAGE },
  messenger: { platform: "messenger", externalId: PAGE, pageId: PAGE },
} as const;
export const proofOf = (token: string) => createHmac("sha256", app.metaSecret).update(token).digest("hex");

/** A fake platform for the calls about accounts of a test file. */
export function openAccountCalls() {
  const platform = openedOnce(startFakePlatform);
  return {
    platform,

    /** @param answer of each call: its handler, or the body of a 200 */
    over(connection: Connection, answer: Respond | object, total?: number) {
      platform.respondWith(typeof answer === "function" ? (answer as Respond) : jsonResponse(200, answer));
      const calls = accountPlatformFor(connection, {
        upstream: upstreamAt(platform.origin),
        http: platformHttp(total === undefined ? {} : { total }),
        app,
        clock: () => CALLS_NOW,
      });
      return { calls, account: accounts[connection] };
    },

    /** The only call that the platform got: its path, and its query as an object. */
    onlyCall() {
      expect(platform.calls).toHaveLength(1);
      const [{ method, url, headers } = { method: "", url: "", headers: {} }] = platform.calls;
      const { pathname, searchParams } = new URL(url, platform.origin);
      return {
        call: `${method} ${pathname}`,
        query: Object.fromEntries(searchParams),
        authorization: headers.authorization,
      };
    },
  };
}
