import type { LogLine } from "#base/aws/log.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import type { Role } from "#features/access/rules/callers.ts";
import type { LoginConnection } from "#features/accounts/flows/login/ports.ts";
import type { Account, PlatformName } from "#features/accounts/rules/accounts.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import type { InstagramLogin } from "#platforms/instagram/instagram-login.ts";
import { instagramDialog } from "#platforms/instagram/instagram-login.ts";
import type { FacebookLogin, LoginPage } from "#platforms/messenger/facebook-login.ts";
import { facebookDialog } from "#platforms/messenger/facebook-login.ts";
import { connectApp } from "../../../../../functions/connect/app.ts";
import type { ConnectFunctionPorts } from "../../../../../functions/connect/routes.ts";
import type { FetchApp } from "../../../../support/conformance/fetch-app.ts";
import { createApp } from "../../../../support/conformance/observed-app.ts";
import { openTestEnv, type TestEnv } from "../../../../support/flows/test-env.ts";
import { testPlatformCallbackPorts } from "../../../../support/routes/platform-callback-ports.ts";
import { newSession, type TestSession } from "../../../../support/routes/sessions.ts";
import { oneKeyRing } from "../../../../support/world/key-rings.ts";
import { openTeamEnv, type TeamEnv } from "../../../access/flows/team/support/team.ts";

export const API = "https://api.example";
export const CONSOLE = "https://console.example";
export const stateRing = oneKeyRing(Buffer.alloc(32, 3));
export const SECRET_TOKEN = "IGAA-secret-token";

/** A page of the scripted platform. */
export function samplePage(rest: Partial<LoginPage> = {}): LoginPage {
  return {
    pageId: "104000000000000001",
    name: "A shoe shop",
    username: "a.shoe.shop",
    token: "EAAG-page-token",
    pictureUrl: "https://pictures.example/page.jpg?ext=4102444800",
    instagram: {
      externalId: "17841400000000001",
      username: "shoes",
      displayName: "Shoes",
      pictureUrl: "https://pictures.example/shoes.jpg?oe=F4865700",
    },
    ...rest,
  };
}

/** An account as the connecting of this fixture returns it. */
export function connectedAccount(account: LoginConnection["account"]): Account {
  return {
    ...account,
    status: "active",
    statusDetail: null,
    retryAt: null,
    refreshError: null,
    lastRefreshedAt: null,
    sealedToken: new Uint8Array(),
    connectionId: "",
    tokenExpiresAt: null,
    authorizedBy: [],
    replaced: [],
    resubscriptions: null,
    restore: null,
    socketsUntil: null,
    humanAgentBlockedAt: null,
  };
}

export type LoginFixture = Awaited<ReturnType<typeof openLoginFixture>>;

/** The routes of the logins, with scripted platforms. Connecting an account is recorded, and succeeds. */
export async function openLoginFixture() {
  const testEnv: TestEnv = await openTestEnv();
  const team: TeamEnv = openTeamEnv(testEnv);
  const connections: LoginConnection[] = [];
  const exchanges: (readonly [code: string, redirectUri: string])[] = [];
  const platform = { pages: [samplePage()] as readonly LoginPage[] };
  const instagram: InstagramLogin = {
    logIn: async (code, redirectUri) => {
      exchanges.push([code, redirectUri]);
      return {
        kind: "logged_in",
        token: SECRET_TOKEN,
        expiresAt: testEnv.now() + 60 * DAY,
        userIds: ["9001", "17841400000000002"],
        account: { externalId: "17841400000000002", handle: "boots", displayName: "Boots" },
        pictureUrl: "https://pictures.example/boots.jpg",
      };
    },
  };
  const facebook: FacebookLogin = {
    logIn: async (code, redirectUri) => {
      exchanges.push([code, redirectUri]);
      return { kind: "logged_in", token: SECRET_TOKEN, expiresAt: testEnv.now() + 60 * DAY, userIds: ["7001"] };
    },
    listPages: async (token) =>
      token === SECRET_TOKEN ? { kind: "listed", pages: platform.pages } : { kind: "unknown" },
  };
  const ports: ConnectFunctionPorts = {
    ...testEnv.connectPorts(),
    ...team.ports,
    ...testPlatformCallbackPorts(testEnv, "http://127.0.0.1:9/accounts"),
    accounts: { list: async () => [], get: async () => null },
    sessionKeys: async () => stateRing,
    loginStateKeys: async () => stateRing,
    loginDialogs: {
      instagram: instagramDialog("https://www.instagram.test", "27"),
      messenger: facebookDialog("https://www.facebook.test", { appId: "15", graphVersion: "v26.0", config: null }),
    },
    logins: { instagram: async () => instagram, facebook: async () => facebook },
    connectAccount: async (connection) => {
      connections.push(connection);
      return connectedAccount(connection.account);
    },
    consoleOrigin: CONSOLE,
    baseUrl: API,
  };

  function openApp(replaced: Partial<ConnectFunctionPorts> = {}): FetchApp {
    const app = connectApp({ ...ports, ...replaced });
    const credentials = { ...app.credentials, rateLimit: async () => null };
    const log = (line: LogLine) => testEnv.lines.push(line);
    return createApp({ ...app, credentials, now: testEnv.now, log, checkData: true });
  }

  /** Starts a login in a browser. @returns what the platform and the browser then have */
  async function start(name: PlatformName, { headers }: Pick<TestSession, "headers">, query = "") {
    const response = await openApp().request(`/oauth/${name}/start${query}`, { headers });
    const location = new URL(response.headers.get("location") ?? "");
    const [cookie = ""] = response.headers.getSetCookie().map((text) => text.split(";")[0]);
    return { state: location.searchParams.get("state") ?? "", cookie };
  }

  /** A new person with a role in a new tenant. */
  async function newMember(role: Role, tenant?: TenantId, invitedBy?: string) {
    const own = tenant ?? (await team.newTenant());
    const source = { table: testEnv.table, sessionKeys: ports.sessionKeys, now: testEnv.now() };
    return { ...(await newSession(source, [[own, role]], invitedBy)), tenant: own };
  }

  async function suspend(tenant: TenantId): Promise<void> {
    await setTenantStatus(team.ports, tenant, { status: "suspended", author: { actor: "cli" } }, testEnv.now());
  }

  return {
    testEnv,
    suspend,
    ports,
    platform,
    connections,
    exchanges,
    instagram,
    facebook,
    openApp,
    start,
    newMember,
  };
}

/** The headers of a browser with these cookies. */
export function browser({ headers }: Pick<TestSession, "headers">, ...cookies: readonly string[]) {
  return { accept: "text/html,application/xhtml+xml", cookie: [headers.cookie, ...cookies].join("; ") };
}
