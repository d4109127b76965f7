import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectRoutePorts } from "../../../../functions/routes/connect-endpoint.ts";
import { openLoginState } from "../../../../shared/flows/accounts/login/login-state.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { facebookDialog } from "../../../../shared/platforms/accounts/login-dialogs.ts";
import type { TestSession } from "../support/sessions.ts";
import { API, CONSOLE, type LoginFixture, openLoginFixture, stateRing } from "./support/login-fixture.ts";

let fixture: LoginFixture;
let admin: TestSession & { readonly tenant: TenantId };
beforeAll(async () => {
  fixture = await openLoginFixture();
  admin = await fixture.newMember("admin");
});
afterAll(() => fixture.testEnv.close());

const start = (path: string, ports?: Partial<ConnectRoutePorts>, headers: Record<string, string> = admin.headers) =>
  fixture.connectApp(ports).request(path, { headers });

const html = { accept: "text/html" };

describe.each([
  ["instagram", "https://www.instagram.test/oauth/authorize", "27"],
  ["messenger", "https://www.facebook.test/v26.0/dialog/oauth", "15"],
] as const)("the start of a login of %s", (platform, dialog, appId) => {
  const path = `/oauth/${platform}/start`;

  it("redirects to the platform, with a state for this person alone and a cookie for their browser", async () => {
    const response = await start(`${path}?redirect=%2Faccounts`);
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get("location") ?? "");
    expect(location.origin + location.pathname).toBe(dialog);
    const { state = "", scope = "", ...parameters } = Object.fromEntries(location.searchParams);
    expect(parameters).toEqual({
      client_id: appId,
      redirect_uri: `${API}/oauth/${platform}/callback`,
      response_type: "code",
    });
    expect(scope).toContain(platform === "instagram" ? "instagram_business_manage_messages" : "pages_messaging");
    const opened = openLoginState(stateRing, platform, state);
    expect(opened).toMatchObject({
      tenant: admin.tenant,
      userId: admin.userId,
      redirect: "/accounts",
      expiresAt: fixture.testEnv.now() + 10 * MINUTE,
    });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^parley_login_[0-9a-f]{8}=${opened?.nonce}; HttpOnly; Path=/oauth; Max-Age=600; SameSite=Lax; Secure$`,
        ),
      ),
    ]);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  });

  it.each(["https://evil.example/", "//evil.example", "evil", ""])("leads to / with the redirect %j", async (to) => {
    const response = await start(`${path}?redirect=${encodeURIComponent(to)}`);
    const state = new URL(response.headers.get("location") ?? "").searchParams.get("state") ?? "";
    expect(openLoginState(stateRing, platform, state)?.redirect).toBe("/");
  });

  it("answers a browser without a session with a redirect to the console, and a program with the envelope", async () => {
    const browser = await start(`${path}?redirect=%2Faccounts%3Fa%3D1`, {}, { accept: "*/*, text/html" });
    expect([browser.status, browser.headers.get("location")]).toEqual([
      302,
      `${CONSOLE}/accounts?a=1&error=unauthorized`,
    ]);
    expect(browser.headers.getSetCookie()).toEqual([]);
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }]) {
      const program = await start(path, {}, headers);
      expect([program.status, await program.json()]).toMatchObject([401, { error: { code: "unauthorized" } }]);
    }
  });

  it("leads to the page of the API where no console is deployed", async () => {
    const response = await start(path, { consoleOrigin: API }, html);
    expect(response.headers.get("location")).toBe(`${API}/oauth/connect?error=unauthorized`);
  });

  it("is refused where the app has no id, with the name of the setting", async () => {
    const none = { loginDialogs: { instagram: null, messenger: null } };
    const json = await start(path, none, { ...admin.headers, accept: "application/json" });
    const detail = platform === "instagram" ? "parley:instagramAppId is not set" : "parley:metaAppId is not set";
    expect([json.status, await json.json()]).toMatchObject([502, { error: { code: "oauth_failed", detail } }]);
    const browser = await start(path, none, { ...admin.headers, ...html });
    expect(browser.headers.get("location")).toBe(`${CONSOLE}/?error=oauth_failed`);
    expect(browser.headers.getSetCookie()).toEqual([]);
  });

  it("answers a fault with a redirect too", async () => {
    const loginStateKeys = () => Promise.reject(new Error("no keys"));
    const response = await start(path, { loginStateKeys }, { ...admin.headers, ...html });
    expect(response.headers.get("location")).toBe(`${CONSOLE}/?error=internal_error`);
  });
});

it("a login of Facebook names a configuration instead of permissions where there is one", () => {
  const options = { appId: "15", graphVersion: "v26.0", config: "99" };
  const url = new URL(facebookDialog("https://www.facebook.test", options).authorizeUrl("s", "https://api.example/x"));
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    config_id: "99",
    override_default_response_type: "true",
    response_type: "code",
    state: "s",
  });
  expect(url.searchParams.has("scope")).toBe(false);
});
