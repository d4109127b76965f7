import { openQueue } from "#base/aws/queues.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { CONFIRM_PAGE, INVALID_LINK_PAGE } from "#features/access/routes/sign-in/pages.ts";
import type { AppParts } from "#http/app.ts";
import { pageInLanguage } from "#http/browser/localized-pages.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import type { Credentials } from "#http/credentials/credentials.ts";
import { checkPageApp } from "../../../functions/check-page/app.ts";
import { connectApp } from "../../../functions/connect/app.ts";
import type { ConnectFunctionPorts } from "../../../functions/connect/routes.ts";
import { consoleApp } from "../../../functions/console/app.ts";
import type { ConsolePorts } from "../../../functions/console/routes.ts";
import { intakeApp } from "../../../functions/intake/app.ts";
import { webApp } from "../../../functions/web/app.ts";
import type { FetchApp } from "../../support/conformance/fetch-app.ts";
import { createApp } from "../../support/conformance/observed-app.ts";
import { checkPageDoubles } from "../../support/flows/hold-fixture.ts";
import type { TestEnv } from "../../support/flows/test-env.ts";
import type { ApiApp } from "../../support/routes/api-app.ts";
import { PLATFORM_SECRETS, testPlatformCallbackPorts } from "../../support/routes/platform-callback-ports.ts";
import { testApp } from "../../support/routes/test-app.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { oneKeyRing } from "../../support/world/key-rings.ts";

export type RouteApps = Readonly<Record<"api" | "checkPage" | "connect" | "console" | "intake" | "web", FetchApp>>;

/** The keys of the tokens in sign-in links. */
export const LOGIN_KEYS = oneKeyRing(randomToken(32));
const LOGIN_STATE_KEYS = oneKeyRing(randomToken(32));

interface RouteAppOptions {
  /** Of the documentation's pages. Default: none. */
  readonly docsPaths?: readonly string[];
  /** Gets each message for the mail worker. */
  readonly onMail?: (body: string) => void;
  /** Gets the code of each login that a platform is asked about. */
  readonly onLogin?: (code: string) => void;
}

/**
 * The functions that answer requests.
 * @param rateLimit runs once the caller is identified
 */
export async function openRouteApps(
  testEnv: TestEnv,
  api: ApiApp,
  rateLimit: Credentials["rateLimit"],
  { docsPaths = [], onMail = () => {}, onLogin = () => {} }: RouteAppOptions = {},
): Promise<RouteApps> {
  const stores = openStores(testEnv.table);
  const check = {
    ...stores,
    ...api.ports,
    ...checkPageDoubles,
  };
  const log = (line: TestEnv["lines"][number]) => testEnv.lines.push(line);
  const queues = await testEnv.newQueues();
  const intakePorts = { ...testEnv.intakePorts(queues), platformSecrets: async () => PLATFORM_SECRETS };
  const body = Buffer.from('{ "ok": false, "error": { "code": "invalid_token" } }');
  const page = { body, type: "text/html; charset=utf-8", etag: '"1"' };
  const consolePorts: ConsolePorts = {
    ...testEnv.consolePorts(queues),
    ...check,
    pageFiles: new Map([
      [pageInLanguage(INVALID_LINK_PAGE, "en"), page],
      [pageInLanguage(CONFIRM_PAGE, "en"), page],
    ]),
    memberships: stores.memberships,
    baseUrl: "https://parley.example",
    loginKeys: async () => LOGIN_KEYS,
    mails: { send: async ({ body }) => onMail(body) },
    // Links have no limit, and a caller who signs out calls the next route all the same.
    signInCaps: { consume: async () => null },
    users: { ...stores.users, raiseEpoch: async () => true },
  };
  const dialog = {
    authorizeUrl: (state: string) => `https://platform.example/login?${new URLSearchParams({ state })}`,
  };
  const logIn = async (code: string) => {
    onLogin(code);
    return { kind: "unknown" } as const;
  };
  const listPages = async () => ({ kind: "unknown" }) as const;
  const connectPorts: ConnectFunctionPorts = {
    ...testPlatformCallbackPorts(testEnv, queues.accounts),
    ...stores,
    ...api.ports,
    memberships: stores.memberships,
    users: stores.users,
    accountWork: openQueue(queues.accounts, testEnv.sqs),
    baseUrl: "https://parley.example",
    loginStateKeys: async () => LOGIN_STATE_KEYS,
    loginDialogs: { instagram: dialog, messenger: dialog },
    logins: { instagram: async () => ({ logIn }), facebook: async () => ({ logIn, listPages }) },
    connectAccount: async () => refuse("oauth_failed"),
  };
  const document = {
    type: "application/json",
    compressible: true,
    etag: () => '"1"',
    body: () => Buffer.from('{ "ok": true, "openapi": "3.1.0" }'),
  };
  const notFound = { ...document, type: "text/html; charset=utf-8", body: () => Buffer.from("<!doctype html>") };
  const typeOf = (path: string) => {
    if (path.endsWith(".md")) return "text/markdown; charset=utf-8";
    return path.endsWith(".txt") ? "text/plain; charset=utf-8" : notFound.type;
  };
  const pages = new Map(docsPaths.map((path) => [path, { ...notFound, type: typeOf(path) }]));
  const console = { page: notFound, assets: new Map(), licenses: document };
  const webPorts = { document, pages, notFound, console, consolePolicy: "default-src 'none'" };
  const common = { now: testEnv.now, log };
  const unlimited = <P>(app: AppParts<P>): AppParts<P> => ({ ...app, credentials: { ...app.credentials, rateLimit } });
  return {
    api: testApp(testEnv, api.ports, { ...callerCredentials(api.ports), rateLimit }),
    checkPage: createApp({ ...common, ...checkPageApp(check) }),
    web: createApp({ ...common, ...webApp(webPorts) }),
    intake: createApp({ ...common, ...intakeApp(intakePorts) }),
    connect: createApp({ ...common, ...unlimited(connectApp(connectPorts)) }),
    console: createApp({ ...common, ...unlimited(consoleApp(consolePorts)) }),
  };
}
