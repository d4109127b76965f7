import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { newLoginState, sealLoginState } from "#features/accounts/flows/login/use-login.ts";
import type { ConnectFunctionPorts } from "../../../../functions/connect/routes.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import type { TestSession } from "../../../support/routes/sessions.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { auditOf } from "../../access/store/support/team-samples.ts";
import { API, browser, CONSOLE, openLoginFixture, SECRET_TOKEN } from "./support/login-fixture.ts";

const fixture = openedOnce(openLoginFixture);
afterAll(() => fixture.testEnv.close());
const admin = openedEach<TestSession & { readonly tenant: TenantId }>(() => fixture.newMember("admin"));
beforeEach(async () => {
  fixture.connections.length = 0;
  fixture.exchanges.length = 0;
});

type Query = Readonly<Record<string, string>> | string;
type Platform = "instagram" | "messenger";

const platforms = ["instagram", "messenger"] as const;
const textOf = (query: Query) => (typeof query === "string" ? query : `${new URLSearchParams(query)}`);

/** Comes back from the platform in a browser. */
function comeBack(
  platform: Platform,
  query: Query,
  headers: Record<string, string>,
  app: FetchApp = fixture.openApp(),
) {
  return app.request(`/oauth/${platform}/callback?${textOf(query)}`, { headers }, { sourceIp: "192.0.2.8" });
}

/** The status, and where it redirects: the path and query on the console. */
async function resultOf(response: Promise<Response> | Response): Promise<readonly [number, string]> {
  const { status, headers } = await response;
  return [status, (headers.get("location") ?? "").replace(CONSOLE, "")];
}

describe.each(platforms)("the callback of %s", (platform) => {
  const success = platform === "instagram" ? "/?connected=instagram%2317841400000000002" : "/?choose=messenger";

  /** A login that came to the platform's consent. */
  async function startLogin(session: TestSession = admin, query = "") {
    const { state, cookie } = await fixture.start(platform, session, query);
    return { state, cookie, code: "the-code" };
  }
  const returned = ({ state, code }: { readonly state: string; readonly code: string }) => ({ code, state });

  it("the callback finishes the login, and redirects to the console with the result", async () => {
    const login = await startLogin(admin, "?redirect=%2Faccounts%3Ftab%3D2%23top");
    const response = await comeBack(platform, returned(login), browser(admin, login.cookie));
    expect(await resultOf(response)).toEqual([302, success.replace("/?", "/accounts?tab=2&").concat("#top")]);
    expect(response.headers.getSetCookie()).toEqual([
      `${login.cookie.split("=")[0]}=; HttpOnly; Path=/oauth; Max-Age=0; SameSite=Lax; Secure`,
    ]);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(fixture.exchanges).toEqual([["the-code", `${API}/oauth/${platform}/callback`]]);
  });

  it("the callback answers a caller that accepts JSON with the envelope", async () => {
    const login = await startLogin();
    const headers = { ...browser(admin, login.cookie), accept: "application/json" };
    const response = await comeBack(platform, returned(login), headers);
    const data = platform === "instagram" ? { connected: "instagram#17841400000000002" } : { choose: "messenger" };
    expect([response.status, await response.json()]).toEqual([200, { ok: true, data }]);
    const again = await comeBack(platform, returned(login), headers);
    expect([again.status, await again.json()]).toMatchObject([400, { error: { code: "oauth_state_invalid" } }]);
  });

  it("the callback strips the #_ that the platform appends to its last parameter", async () => {
    const login = await startLogin();
    const query = { state: login.state, code: "the-code#_" };
    expect(await resultOf(comeBack(platform, query, browser(admin, login.cookie)))).toEqual([302, success]);
    const other = await startLogin();
    const reversed = { code: "the-code", state: `${other.state}#_` };
    expect(await resultOf(comeBack(platform, reversed, browser(admin, other.cookie)))).toEqual([302, success]);
    expect(fixture.exchanges.map(([code]) => code)).toEqual(["the-code", "the-code"]);
  });

  it("the callback works once: of twenty at the same time, one wins", async () => {
    const login = await startLogin();
    const app = fixture.openApp();
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        resultOf(comeBack(platform, returned(login), browser(admin, login.cookie), app)),
      ),
    );
    const refused = [302, "/?error=oauth_state_invalid"];
    expect(results.filter(([, location]) => location === success)).toHaveLength(1);
    expect(results.filter((result) => JSON.stringify(result) === JSON.stringify(refused))).toHaveLength(19);
    expect(fixture.exchanges).toHaveLength(1);
  });

  it("the callback finishes two logins of two tabs, each with its own cookie", async () => {
    const [first, second] = [await startLogin(admin, "?redirect=%2Fone"), await startLogin(admin, "?redirect=%2Ftwo")];
    const headers = browser(admin, first.cookie, second.cookie);
    expect(await resultOf(comeBack(platform, returned(second), headers))).toEqual([302, success.replace("/", "/two")]);
    expect(await resultOf(comeBack(platform, returned(first), headers))).toEqual([302, success.replace("/", "/one")]);
  });

  describe("refuses as oauth_state_invalid", () => {
    async function expectRefused(query: Query, headers: Record<string, string>, redirect = "/") {
      const browserResult = await resultOf(comeBack(platform, query, headers));
      expect(browserResult).toEqual([302, `${redirect}?error=oauth_state_invalid`]);
      const json = await comeBack(platform, query, { ...headers, accept: "application/json" });
      expect([json.status, await json.json()]).toMatchObject([400, { error: { code: "oauth_state_invalid" } }]);
      expect(fixture.exchanges).toEqual([]);
    }

    it("a missing, empty or doubled code or state", async () => {
      const { state, cookie, code } = await startLogin();
      const headers = browser(admin, cookie);
      for (const query of [`code=${code}`, `code=&state=`, "", `code=${code}&state=`]) {
        await expectRefused(query, headers);
      }
      for (const query of [
        `state=${state}`,
        `code=&state=${state}`,
        `code=${code}&code=other&state=${state}`,
        `code=${code}&state=${state}&state=${state}`,
      ]) {
        await expectRefused(query, headers);
      }
    });

    it("a state that was forged, altered, sealed by another deployment or for the other platform", async () => {
      const { state, cookie, code } = await startLogin();
      const own = newLoginState({ tenant: admin.tenant, userId: admin.userId, redirect: "/" }, fixture.testEnv.now());
      const ring = oneKeyRing(Buffer.alloc(32, 3));
      const elsewhere = sealLoginState(oneKeyRing(Buffer.alloc(32, 4)), platform, own);
      const forOther = sealLoginState(ring, platform === "instagram" ? "messenger" : "instagram", own);
      const altered = `${state.slice(0, -2)}${state.endsWith("AA") ? "BA" : "AA"}`;
      for (const text of ["forged", altered, elsewhere, forOther, "A".repeat(5_000), "{}"]) {
        await expectRefused({ code, state: text }, browser(admin, cookie));
      }
    });

    it("a state of eleven minutes ago, and one of exactly ten", async () => {
      const login = await startLogin();
      fixture.testEnv.advance(10 * MINUTE);
      await expectRefused(returned(login), browser(admin, login.cookie));
      fixture.testEnv.advance(MINUTE);
      await expectRefused(returned(login), browser(admin, login.cookie));
    });

    it("a browser without the cookie, with another login's, with an altered one, or with two", async () => {
      const [login, other] = [await startLogin(), await startLogin()];
      const [name, value] = login.cookie.split("=");
      const otherValue = other.cookie.split("=")[1];
      await expectRefused(returned(login), browser(admin));
      await expectRefused(returned(login), browser(admin, other.cookie));
      await expectRefused(returned(login), browser(admin, `${name}=${otherValue}`));
      await expectRefused(returned(login), browser(admin, `${name}=${value}x`));
      await expectRefused(returned(login), browser(admin, login.cookie, login.cookie));
    });

    it("another person in the same browser, also another admin of the tenant", async () => {
      const login = await startLogin();
      const colleague = await fixture.newMember("owner", admin.tenant);
      await expectRefused(returned(login), browser(colleague, login.cookie));
    });

    it("another person's browser, whose own login it does not take", async () => {
      const attacker = await fixture.newMember("admin");
      const theirs = await startLogin(attacker);
      await expectRefused(returned(theirs), browser(admin));
      const own = await startLogin();
      await expectRefused({ code: "their-code", state: theirs.state }, browser(admin, own.cookie));
    });
  });

  it("the callback is refused without a session, and keeps the login for one", async () => {
    const login = await startLogin(admin, "?redirect=%2Faccounts");
    const without = { accept: "text/html", cookie: login.cookie };
    expect(await resultOf(comeBack(platform, returned(login), without))).toEqual([302, "/accounts?error=unauthorized"]);
    expect(await resultOf(comeBack(platform, returned(login), browser(admin, login.cookie)))).toEqual([
      302,
      success.replace("/", "/accounts"),
    ]);
  });

  it("the callback is refused to a person who is no admin any more, or no member", async () => {
    const login = await startLogin();
    const memberships = membershipStore(fixture.testEnv.table);
    const membership = await memberships.get(admin.tenant, admin.userId);
    if (!membership) throw new Error("The member is missing.");
    await memberships.changeRole(membership, "agent", { audit: auditOf("member.role_change"), actor: null });
    const headers = browser(admin, login.cookie);
    expect(await resultOf(comeBack(platform, returned(login), headers))).toEqual([302, "/?error=forbidden"]);
    await memberships.remove({ ...membership, role: "agent" }, { audit: auditOf("member.remove"), actor: null });
    expect(await resultOf(comeBack(platform, returned(login), headers))).toEqual([302, "/?error=forbidden"]);
    expect(fixture.exchanges).toEqual([]);
  });

  it("the callback is refused for a tenant that was suspended", async () => {
    const login = await startLogin();
    await fixture.suspend(admin.tenant);
    const headers = browser(admin, login.cookie);
    expect(await resultOf(comeBack(platform, returned(login), headers))).toEqual([302, "/?error=forbidden"]);
    expect(fixture.exchanges).toEqual([]);
  });

  it("the callback names a canceled login, and does not take its state again", async () => {
    const login = await startLogin();
    const denied = { error: "access_denied", error_reason: "user_denied", state: login.state };
    const headers = browser(admin, login.cookie);
    expect(await resultOf(comeBack(platform, denied, headers))).toEqual([302, "/?error=oauth_denied"]);
    expect(await resultOf(comeBack(platform, returned(login), headers))).toEqual([302, "/?error=oauth_state_invalid"]);
    const failed = await startLogin();
    const error = { error: "server_error", state: failed.state };
    expect(await resultOf(comeBack(platform, error, browser(admin, failed.cookie)))).toEqual([
      302,
      "/?error=oauth_failed",
    ]);
  });

  it("the callback does not take a cancellation without the state of this browser", async () => {
    const login = await startLogin();
    const denied = { error: "access_denied", state: login.state };
    expect(await resultOf(comeBack(platform, denied, browser(admin)))).toEqual([302, "/?error=oauth_state_invalid"]);
    expect(await resultOf(comeBack(platform, returned(login), browser(admin, login.cookie)))).toEqual([302, success]);
  });

  it.each([
    ["a refusal", { kind: "refused", class: "invalid", detail: "Matching code was not found or was already used" }],
    ["no answer", { kind: "unknown" }],
  ])("the callback names an exchange that failed: %s", async (_name, failure) => {
    const login = await startLogin();
    const logIn = async () => failure as never;
    const app = fixture.openApp({
      logins: {
        instagram: async () => ({ ...fixture.instagram, logIn }),
        facebook: async () => ({ ...fixture.facebook, logIn }),
      },
    });
    const headers = { ...browser(admin, login.cookie), accept: "application/json" };
    const response = await comeBack(platform, returned(login), headers, app);
    const detail = "detail" in failure ? failure.detail : "the platform did not answer as expected";
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: "oauth_failed", detail } }]);
    expect(fixture.connections).toEqual([]);
  });

  it("the callback says which setting is missing where the app has no secret", async () => {
    const login = await startLogin();
    const app = fixture.openApp({ logins: { instagram: async () => null, facebook: async () => null } });
    const headers = { ...browser(admin, login.cookie), accept: "application/json" };
    const response = await comeBack(platform, returned(login), headers, app);
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: "oauth_failed", detail: expect.stringContaining("app secret") } },
    ]);
  });

  it("a HEAD request does not use the login", async () => {
    const login = await startLogin();
    const headers = browser(admin, login.cookie);
    const url = `/oauth/${platform}/callback?${textOf(returned(login))}`;
    await fixture.openApp().request(url, { method: "HEAD", headers });
    expect(await resultOf(comeBack(platform, returned(login), headers))).toEqual([302, success]);
  });

  it.each(["fail", "crash", "lost", "twice"] as const)(
    "with each call to the table hit by the fault %s, exchanges a code at most once, and answers",
    async (fault) => {
      for (let k = 0, wasHit = true; wasHit; k++) {
        fixture.exchanges.length = 0;
        const login = await startLogin();
        wasHit = false;
        const end = injectFaults(fixture.testEnv.client, ({ index }) => {
          if (index !== k) return "pass";
          wasHit = true;
          return fault;
        });
        const [status, location] = await resultOf(
          comeBack(platform, returned(login), browser(admin, login.cookie)),
        ).finally(end);
        expect([status, [success, "/?error=internal_error"].includes(location)]).toEqual([302, true]);
        // A fault that the SDK repeats is not seen.
        if (fault !== "crash") expect([k, location]).toEqual([k, success]);
        const again = await resultOf(comeBack(platform, returned(login), browser(admin, login.cookie)));
        expect(fixture.exchanges.length).toBeLessThanOrEqual(1);
        if (location === success) expect(again[1]).toBe("/?error=oauth_state_invalid");
      }
    },
  );

  it("the callback has no code, state, cookie or token in a log line", async () => {
    const login = await startLogin();
    await comeBack(platform, returned(login), browser(admin, login.cookie));
    await comeBack(platform, { code: "other", state: login.state }, browser(admin, login.cookie));
    const crashed = await startLogin();
    const broken: Partial<ConnectFunctionPorts> = {
      loginStates: { use: () => Promise.reject(new Error(crashed.state)) },
    };
    await comeBack(platform, returned(crashed), browser(admin, crashed.cookie), fixture.openApp(broken));
    const lines = JSON.stringify(fixture.testEnv.lines);
    expect(lines).toContain("request.failed");
    for (const secret of [login.state, crashed.state, login.cookie.split("=")[1] ?? "?", "the-code", SECRET_TOKEN]) {
      expect(lines).not.toContain(secret);
    }
  });
});

describe("a finished login of Instagram", () => {
  it("a finished login of Instagram connects its account with the token, its end and the ids of the person", async () => {
    const { state, cookie } = await fixture.start("instagram", admin);
    await comeBack("instagram", { code: "c", state }, browser(admin, cookie));
    expect(fixture.connections).toMatchObject([
      {
        tenant: admin.tenant,
        account: {
          platform: "instagram",
          externalId: "17841400000000002",
          connection: "instagram_login",
          handle: "boots",
          displayName: "Boots",
          pageId: null,
        },
        token: SECRET_TOKEN,
        tokenExpiresAt: fixture.testEnv.now() + 60 * DAY,
        authorizedBy: ["9001", "17841400000000002"],
        author: { caller: { userId: admin.userId }, ip: "192.0.2.8" },
      },
    ]);
  });

  it.each([
    ["account_in_use", 409, "account_in_use"],
    ["account_limit", 409, "account_limit"],
    ["oauth_failed", 502, "oauth_failed"],
    ["role_forbidden", 403, "forbidden"],
  ] as const)("the answer says why the account is not connected: %s", async (reason, status, code) => {
    const app = fixture.openApp({ connectAccount: async () => refuse(reason) });
    const first = await fixture.start("instagram", admin);
    const query = { code: "c", state: first.state };
    expect(await resultOf(comeBack("instagram", query, browser(admin, first.cookie), app))).toEqual([
      302,
      `/?error=${code}`,
    ]);
    const { state, cookie } = await fixture.start("instagram", admin);
    const headers = { ...browser(admin, cookie), accept: "application/json" };
    const json = await comeBack("instagram", { code: "c", state }, headers, app);
    expect([json.status, await json.json()]).toMatchObject([status, { error: { code } }]);
  });
});
