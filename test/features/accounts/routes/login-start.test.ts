import { afterAll, describe, expect, it } from "vitest";
import { MINUTE } from "#base/kernel/time.ts";
import { loginStartPageTexts } from "#base/languages/all.ts";
import { languages } from "#base/languages/languages.ts";
import { openLoginState } from "#features/accounts/flows/login/use-login.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { facebookDialog } from "#platforms/messenger/facebook-login.ts";
import type { ConnectFunctionPorts } from "../../../../functions/connect/routes.ts";
import { plantedIn, plantedText } from "../../../support/files/planted-characters.ts";
import { openedOnce } from "../../../support/opened.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";
import { API, CONSOLE, openLoginFixture, stateRing } from "./support/login-fixture.ts";

const fixture = openedOnce(openLoginFixture);
const admin = openedOnce(() => fixture.newMember("admin"));
afterAll(() => fixture.testEnv.close());

const start = (path: string, ports?: Partial<ConnectFunctionPorts>, headers: Record<string, string> = admin.headers) =>
  fixture.openApp(ports).request(path, { headers });

/** A navigation of a browser that a page of the API's origin caused. */
const html = { accept: "text/html", "sec-fetch-site": "same-origin" };

describe.each([
  ["instagram", "https://www.instagram.test/oauth/authorize", "27", "Instagram"],
  ["messenger", "https://www.facebook.test/v26.0/dialog/oauth", "15", "Facebook"],
] as const)("the start of a login of %s", (platform, dialog, appId, name) => {
  const path = `/oauth/${platform}/start`;

  it("the start of a login redirects to the platform, with a state for this person alone and a cookie for their browser", async () => {
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

  it.each(["https://evil.example/", "//evil.example", "evil", ""])(
    "the start of a login redirects to / with the redirect %j",
    async (to) => {
      const response = await start(`${path}?redirect=${encodeURIComponent(to)}`);
      const state = new URL(response.headers.get("location") ?? "").searchParams.get("state") ?? "";
      expect(openLoginState(stateRing, platform, state)?.redirect).toBe("/");
    },
  );

  it("the start of a login answers a browser without a session with a redirect to the console, and a program with the envelope", async () => {
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

  it.each([
    ["", "/app"],
    ["?tenant=harbor", "/app/harbor/accounts"],
    ["?tenant=..%2Fv1", "/app"],
  ])("a login that names no page redirects to the console of the same host: %s to %s", async (query, page) => {
    const response = await start(`${path}${query}`, { consoleOrigin: API }, html);
    expect(response.headers.get("location")).toBe(`${API}${page}?error=unauthorized`);
  });

  it("the start of a login is refused where the app has no id, with the name of the setting", async () => {
    const none = { loginDialogs: { instagram: null, messenger: null } };
    const json = await start(path, none, { ...admin.headers, accept: "application/json" });
    const detail = platform === "instagram" ? "parley:instagramAppId is not set" : "parley:metaAppId is not set";
    expect([json.status, await json.json()]).toMatchObject([502, { error: { code: "oauth_failed", detail } }]);
    const browser = await start(path, none, { ...admin.headers, ...html });
    expect(browser.headers.get("location")).toBe(`${CONSOLE}/?error=oauth_failed`);
    expect(browser.headers.getSetCookie()).toEqual([]);
  });

  it.each([
    ["a page of another site", { accept: "text/html", "sec-fetch-site": "cross-site" }],
    ["a page of another origin of the site", { accept: "text/html", "sec-fetch-site": "same-site" }],
    ["an address that was typed, or a link in a mail", { accept: "text/html", "sec-fetch-site": "none" }],
    ["a browser that does not say where it comes from", { accept: "text/html" }],
    [
      "an image or a script of another page",
      { accept: "*/*", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    ],
    ["a frame", { accept: "text/html", "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" }],
    ["a browser that sends one of the headers alone", { accept: "*/*", "sec-fetch-dest": "image" }],
  ])("the start of a login asks first where the request comes from %s", async (_, headers) => {
    const response = await start(`${path}?redirect=%2Faccounts%3Fa%3D1`, {}, { ...admin.headers, ...headers });
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []]);
    const shown = Object.fromEntries(response.headers);
    expect(shown).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
    });
    expect(shown["content-security-policy"]).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain(`<h1>Connect with ${name}?</h1>`);
    expect(page).toContain(`<span class="soft">${admin.tenant}</span>`);
    expect(page).toContain(`<dd>${admin.email}</dd>`);
    expect(page).not.toContain("{{");
    // Its button opens the same URL, for the tenant that the page names.
    const [, href = ""] = /<a class="button" href="([^"]*)"/.exec(page) ?? [];
    const query = new URLSearchParams(href.replaceAll("&amp;", "&").slice(1));
    expect(Object.fromEntries(query)).toEqual({ tenant: admin.tenant, redirect: "/accounts?a=1" });
    const pressed = await start(`${path}?${query}`, {}, { ...admin.headers, ...html });
    expect([pressed.status, pressed.headers.get("location")?.startsWith(dialog)]).toEqual([302, true]);
  });

  it("the start of a login shows names as text, and who invited the person", async () => {
    const inviter = await fixture.newMember("owner");
    const member = await fixture.newMember("admin", inviter.tenant, inviter.actorId);
    const audit = auditOf("tenant.update");
    const name = plantedText('<b onclick="x">&\u202e\u200bShop', "Ltd");
    await tenantStore(fixture.testEnv.table).change(inviter.tenant, { name }, { audit, actor: null });
    const response = await start(path, {}, { ...member.headers, accept: "text/html" });
    const page = await response.text();
    expect(page).toMatch(/<strong>&lt;b onclick=&quot;x&quot;&gt;&amp;Shop .*Ltd<\/strong>/s);
    expect(plantedIn(page)).toEqual([]);
    expect(page).toContain(`<dt>Invited by</dt><dd>${inviter.email}</dd>`);
  });

  it.each(languages)("the start of a login asks in the language of the browser: %s", async (language) => {
    const inviter = await fixture.newMember("owner");
    const member = await fixture.newMember("admin", inviter.tenant, inviter.actorId);
    const headers = { ...member.headers, accept: "text/html", "accept-language": `${language},en;q=0.1` };
    const response = await start(path, {}, headers);
    expect([response.headers.get("content-language"), response.headers.get("vary")]).toEqual([
      language,
      expect.stringContaining("accept-language"),
    ]);
    const page = await response.text();
    expect(page).toContain(`<html lang="${language}" dir="ltr">`);
    const { title, button, ...texts } = loginStartPageTexts[language];
    const sentences = [title, button].map((text) => text.replace("{platform}", name));
    const { operator: _, ...shown } = texts;
    for (const text of [...sentences, ...Object.values(shown)]) expect(page).toContain(text);
    expect(page).not.toMatch(/[{}]/);
  });

  it("the start of a login names the operator in the language of the browser", async () => {
    const member = await fixture.newMember("admin", undefined, "cli");
    const headers = { ...member.headers, accept: "text/html", "accept-language": "de" };
    const page = await (await start(path, {}, headers)).text();
    expect(page).toContain("<dt>Eingeladen von</dt><dd>Betreiber</dd>");
  });

  it.each(["HEAD", "GET"])("the start of a login starts nothing for a %s that only looks", async (method) => {
    const headers = { ...admin.headers, ...(method === "GET" ? { ...html, "sec-purpose": "prefetch" } : {}) };
    const response = await fixture.openApp().request(path, { method, headers });
    expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([204, [], ""]);
  });

  it("the start of a login starts by a script of the console, with the token of its session", async () => {
    const post = (headers: Record<string, string>) =>
      fixture.openApp().request(`${path}?redirect=%2Faccounts`, { method: "POST", headers });
    const response = await post(admin.writeHeaders);
    const { data } = (await response.json()) as { data: { url: string } };
    expect([response.status, data.url.startsWith(dialog)]).toEqual([200, true]);
    const state = openLoginState(stateRing, platform, new URL(data.url).searchParams.get("state") ?? "");
    expect(state).toMatchObject({ tenant: admin.tenant, userId: admin.userId, redirect: "/accounts" });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringContaining(`=${state?.nonce}; HttpOnly; Path=/oauth;`),
    ]);
    for (const headers of [admin.headers, { ...admin.writeHeaders, origin: "https://evil.example" }]) {
      const forged = await post(headers);
      expect([forged.status, forged.headers.getSetCookie()]).toEqual([403, []]);
    }
  });

  it("the start of a login answers a fault with a redirect too", async () => {
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
