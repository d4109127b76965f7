import { describe, expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { accounts, app, INSTAGRAM, openAccountCalls, PAGE, proofOf } from "./account-fixture.ts";
import { jsonResponse, TOKEN } from "./fake-platform.ts";

const { platform, over, onlyCall } = openAccountCalls();

test("a refresh of a page's token is refused without a call", async () => {
  const { calls } = over("messenger", {});
  expect(await calls.refresh(TOKEN)).toMatchObject({ kind: "refused", class: "other", accountStatus: null });
  expect(platform.calls).toEqual([]);
});

describe("the inspection of a page's token", () => {
  const data = {
    is_valid: true,
    scopes: ["pages_messaging", "instagram_manage_messages"],
    data_access_expires_at: 1_780_000_000,
  };
  const inspect = async (answer: object, connection: Connection = "messenger") => {
    const { calls, account } = over(connection, { data: answer });
    return calls.inspect(account, TOKEN);
  };

  test("the inspection of a page's token asks with the app's own token, which is proven too", async () => {
    expect(await inspect(data)).toEqual({
      kind: "inspected",
      isValid: true,
      detail: null,
      hasRights: true,
      dataAccessExpiresAt: 1_780_000_000_000,
    });
    const appToken = `${app.metaAppId}|${app.metaSecret}`;
    expect(onlyCall()).toEqual({
      call: "GET /facebook/v26.0/debug_token",
      query: { input_token: TOKEN, access_token: appToken, appsecret_proof: proofOf(appToken) },
      authorization: undefined,
    });
  });

  test.each([
    ["messenger", { scopes: ["instagram_manage_messages"] }, false],
    ["instagram_page", { scopes: ["pages_messaging"] }, false],
    ["instagram_page", { scopes: ["instagram_manage_messages"] }, true],
    ["messenger", { scopes: "pages_show_list,pages_messaging" }, true],
    ["messenger", { scopes: null }, false],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging", target_ids: ["1"] }] }, false],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging", target_ids: ["1", PAGE] }] }, true],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging" }] }, true],
    ["messenger", { granular_scopes: [{ scope: "pages_show_list", target_ids: ["1"] }, null] }, true],
    ["instagram_page", { granular_scopes: [{ scope: "instagram_manage_messages", target_ids: [INSTAGRAM] }] }, true],
  ] as const)(
    "the inspection of a page's token of %s with %j has the rights: %s",
    async (connection, changes, hasRights) => {
      expect(await inspect({ ...data, ...changes }, connection)).toMatchObject({ isValid: true, hasRights });
    },
  );

  test("the inspection of a page's token names the platform's words on a token that is not valid, without the token", async () => {
    const error = { code: 190, subcode: 460, message: `The session of ${TOKEN} is invalid.` };
    expect(await inspect({ ...data, is_valid: false, error })).toMatchObject({
      isValid: false,
      hasRights: false,
      detail: "The session of [token] is invalid.",
    });
    expect(await inspect({ is_valid: false })).toMatchObject({ detail: "The access token is no longer valid." });
    expect(await inspect({ is_valid: false, error: "odd" })).toMatchObject({ isValid: false });
  });

  test.each([0, undefined, null, "never", -5])(
    "the inspection of a page's token with the end of the data access %j names none",
    async (end) => {
      expect(await inspect({ ...data, data_access_expires_at: end })).toMatchObject({ dataAccessExpiresAt: null });
    },
  );

  test("the inspection of a page's token is a failure without an answer on the token", async () => {
    for (const answer of [{}, { is_valid: "yes" }, { scopes: [] }]) {
      expect(await inspect(answer)).toEqual({ kind: "unknown" });
    }
  });

  test("the inspection of a page's token is refused without a call where the app is not set", async () => {
    platform.respondWith(jsonResponse(200, { data }));
    const upstream = { facebookGraph: platform.origin, instagramGraph: platform.origin, graphVersion: "v26.0" };
    const none = { metaAppId: null, metaSecret: null };
    const calls = accountPlatformFor("messenger", { upstream, http: platformHttp(), app: none });
    expect(await calls.inspect(accounts.messenger, TOKEN)).toMatchObject({
      kind: "refused",
      detail: "The id or the secret of the Meta app is not set.",
    });
    expect(platform.calls).toEqual([]);
  });
});
