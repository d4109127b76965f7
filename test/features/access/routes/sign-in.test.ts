import { afterEach, beforeEach, expect, it } from "vitest";
import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import { iso, SECOND } from "#base/kernel/time.ts";
import { decodeMail } from "#features/access/queue.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { readSignInPage } from "../../../../functions/console/page-files.ts";
import type { ConsolePorts } from "../../../../functions/console/routes.ts";
import { buildSignInPage } from "../../../../web/build.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { answerOf } from "../../../support/processes/work-left.ts";
import { builtPage } from "../../../support/routes/built-page.ts";
import { API, CONSOLE, openConsoleApp } from "../../../support/routes/console-app.ts";
import { BROWSER, openSignInFixture, unknownToken } from "../flows/support/sign-in-fixture.ts";

const pageFiles = await builtPage(buildSignInPage, readSignInPage);
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));
const app = openedOnce(() => consoleApp());
let address: string;
let networks = 0;
beforeEach(() => {
  ({ address } = fixture.newPerson());
});
afterEach(() => {
  testEnv.lines.length = 0;
});

function consoleApp(overrides: Partial<ConsolePorts> = {}): FetchApp {
  return openConsoleApp(testEnv, { ...fixture.ports(), pageFiles, ...overrides });
}

interface Options {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly to?: FetchApp;
}

async function call(path: string, { to = app, ...init }: Options = {}) {
  const sourceIp = `2001:db8:${Math.floor(++networks / 60_000)}:${(networks % 60_000).toString(16)}::1`;
  const request = new Request(`http://gateway/console/${path}`, init);
  const response = await answerOf(async () => to.fetch(request, { sourceIp }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, cookies: response.headers.getSetCookie() };
}

const post = (path: string, body: unknown, headers = {}) =>
  call(path, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });
const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
/** Opens a link, in the browser that requested it unless the options have cookies. */
const verify = (token: string, { headers, ...options }: Options = {}) =>
  call(`auth/verify?token=${encodeURIComponent(token)}`, {
    ...options,
    headers: { cookie: `console_sign_in=${BROWSER}`, ...headers },
  });

/** Signs in with a new link. @returns the headers of later requests */
async function signIn(): Promise<{ cookie: string; "x-csrf-token": string }> {
  const { cookies } = await verify(await fixture.newToken(address));
  const [session = "", csrf = ""] = cookies.map((cookie) => cookie.split(";")[0] ?? "");
  return { cookie: `${session}; ${csrf}`, "x-csrf-token": csrf.split("=")[1] ?? "" };
}

it("POST /console/auth/request answers every well-formed address alike", async () => {
  await fixture.newUser(address);
  const answers = [address, address.toUpperCase(), "stranger@example.com", "a@bücher.example"].map(async (email) => {
    const { status, text } = await post("auth/request", { email, redirect: "/inbox" });
    return [status, text];
  });
  expect(new Set((await Promise.all(answers)).map(String))).toEqual(new Set(['200,{"ok":true,"data":{"sent":true}}']));
});

it.each([
  [null, "/"],
  [7, "/"],
  [true, "/"],
  [["/inbox"], "/"],
  [{ path: "/inbox" }, "/"],
  [undefined, "/"],
  [undefined, "/app", CONSOLE],
  [7, "/app", CONSOLE],
  ["/oauth/instagram/start", "/", CONSOLE],
])(
  "POST /console/auth/request takes the redirect %j for none, so that the link redirects to %s, the first page of the console there",
  async (redirect, path, baseUrl = API) => {
    await fixture.newUser(address);
    const sent: string[] = [];
    const to = consoleApp({ baseUrl, mails: { send: async ({ body }) => void sent.push(body) } });
    const body = JSON.stringify({ email: address, redirect });
    const { status, text } = await call("auth/request", { method: "POST", body, to });
    expect([status, JSON.parse(text)]).toEqual([200, { ok: true, data: { sent: true } }]);
    expect(sent).toHaveLength(1);
    const mail = decodeMail(sent[0] ?? "");
    if (mail?.kind !== "sign_in") throw new Error("No link was requested.");
    expect(await fixture.stores.loginTokens.get(mail.loginId)).toMatchObject({ redirect: path });
  },
);

it.each([
  ["no JSON", "email=a@example.com"],
  ["an empty body", ""],
  ["no email", { redirect: "/" }],
  ["an email that is no text", { email: 1 }],
  ["a list", { email: ["a@example.com"] }],
  ["no address", { email: "unknown" }],
  ["255 characters", { email: `${"a".repeat(243)}@example.com` }],
  ["a line break", { email: "a@example.com\n" }],
  ["two @", { email: "a@b@example.com" }],
])("POST /console/auth/request refuses %s without a call", async (_, body) => {
  const calls: string[] = [];
  const ends = [testEnv.client, testEnv.sqs].map((client) =>
    injectFaults(client as never, ({ command }) => {
      calls.push(command);
      return "pass";
    }),
  );
  const { status, text } = await post("auth/request", body);
  for (const end of ends) end();
  expect([status, JSON.parse(text).error.code, calls]).toEqual([400, "invalid_request", []]);
});

it("POST /console/auth/request names the seconds to wait above the cap of an address, in any spelling of it", async () => {
  const emails = [address, address.toUpperCase(), `${address[0]?.toUpperCase()}${address.slice(1)}`];
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await post("auth/request", { email: emails[i % 3] }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(JSON.parse(answers[5]?.text ?? "").error.code).toBe("rate_limited");
  expect(Number(answers[5]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(Number(answers[5]?.headers.get("retry-after"))).toBeLessThanOrEqual(900);
});

it("GET /console/auth/verify redirects to the path on the console's origin, with the cookies of a session", async () => {
  const { status, headers, cookies, text } = await verify(await fixture.newToken(address, "/inbox?a=1#b"));
  expect([status, headers.get("location"), text]).toEqual([302, `${CONSOLE}/inbox?a=1#b`, ""]);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(cookies).toEqual([
    expect.stringMatching(
      /^console_session=[\w-]+\.[\w-]+\.[\w-]+; HttpOnly; Path=\/; Max-Age=43200; SameSite=Lax; Secure$/,
    ),
    expect.stringMatching(/^console_csrf=[\w-]{22}; Path=\/; Max-Age=43200; SameSite=Lax; Secure$/),
  ]);
});

it("GET /console/auth/verify redirects to the path for a signed-in person, and with a console on another host to its first page", async () => {
  const token = () => fixture.newToken(address, "/console/auth/signed-in");
  const { headers } = await verify(await token(), { to: consoleApp({ baseUrl: CONSOLE }) });
  expect(headers.get("location")).toBe(`${CONSOLE}/console/auth/signed-in`);
  expect((await verify(await token())).headers.get("location")).toBe(`${CONSOLE}/`);
});

it.each(["signed-in", "signed-in.js"])(
  "GET /console/auth/%s redirects to the console, which shows the invites, and to the first page of one on another host",
  async (name) => {
    const answer = async (to?: ReturnType<typeof consoleApp>) => {
      const { status, headers } = await call(`auth/${name}`, { headers: browser, ...(to && { to }) });
      return [status, headers.get("location"), headers.get("cache-control")];
    };
    expect(await answer(consoleApp({ baseUrl: CONSOLE }))).toEqual([302, `${CONSOLE}/app?invites=`, "no-store"]);
    expect(await answer()).toEqual([302, `${CONSOLE}/`, "no-store"]);
  },
);

it("GET /console/auth/verify sets cookies without Secure on the loopback interface alone", async () => {
  for (const [baseUrl, isSecure] of [
    ["http://127.0.0.1:8080", false],
    ["http://localhost:8080", false],
    ["https://localhost:8080", true],
    ["http://parley.example", true],
  ] as const) {
    const { cookies } = await verify(await fixture.newToken(address), { to: consoleApp({ baseUrl }) });
    expect(cookies.map((cookie) => cookie.includes("Secure"))).toEqual([isSecure, isSecure]);
  }
});

it.each(["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example/", "javascript:alert(1)"])(
  "GET /console/auth/verify of a request with the redirect %j redirects to / on the console's origin",
  async (redirect) => {
    const { headers } = await verify(await fixture.newToken(address, redirect));
    expect(headers.get("location")).toBe(`${CONSOLE}/`);
  },
);

it("GET /console/auth/verify answers a used, an expired, an unknown, a malformed and a missing token with the same bytes", async () => {
  const used = await fixture.newToken(address);
  await verify(used);
  const expired = await fixture.newToken(address);
  testEnv.advance(15 * 60_000);
  for (const headers of [{}, browser]) {
    const answers = [];
    for (const token of [used, expired, unknownToken(), "malformed", "ü", "x".repeat(3000)]) {
      answers.push(await verify(token, { headers }));
    }
    answers.push(await call("auth/verify", { headers }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.flatMap(({ cookies }) => cookies)).toEqual([]);
  }
  expect(JSON.parse((await verify(used)).text).error.code).toBe("invalid_token");
});

it("GET /console/auth/verify offers a browser a new link, on a page that loads nothing from elsewhere", async () => {
  const { status, headers, text } = await verify("used", { headers: browser });
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    401,
    "text/html; charset=utf-8",
    "no-store",
  ]);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(text).toContain("This link no longer works");
  const assets = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
  const [icon, ...own] = assets;
  // The icon is a file of the documentation, which another function serves on the same origin.
  expect([icon, own]).toEqual(["/docs/icon.svg", ["/console/auth/sign-in.css", "/console/auth/sign-in.js"]]);
  for (const path of own) expect((await call(path.slice("/console/".length))).status).toBe(200);
  expect((await call("auth/sign-in")).text).toContain('<h1 id="title" tabindex="-1">Sign in</h1>');
});

it("GET /console/auth/verify answers a link that repeats a parameter as a malformed token, and does not use it", async () => {
  const token = await fixture.newToken(address);
  for (const query of [`token=${token}&token=${token}`, `token=${token}&a=1&a=2`, `a=&a=&token=${token}`]) {
    const answers = [await call(`auth/verify?${query}`), await call(`auth/verify?${query}`, { headers: browser })];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(answers.map(({ text }) => text)).toEqual([
      (await verify("malformed")).text,
      (await verify("malformed", { headers: browser })).text,
    ]);
    expect((await call(`auth/verify?${query}`, { method: "HEAD" })).status).toBe(204);
  }
  expect((await verify(token)).status).toBe(302);
});

it.each([
  ["HEAD", { method: "HEAD" }],
  ["a prefetch", { headers: { ...browser, "sec-purpose": "prefetch" } }],
  ["a prerendering", { headers: { ...browser, "sec-purpose": "prefetch;prerender" } }],
  ["a prefetch of an older browser", { headers: { ...browser, purpose: "prefetch" } }],
  ["a preview", { headers: { ...browser, "x-purpose": "preview" } }],
  ["a prefetch of Firefox", { headers: { ...browser, "x-moz": "prefetch" } }],
])("GET /console/auth/verify is not used by %s", async (_, options: Options) => {
  const token = await fixture.newToken(address);
  const scan = await verify(token, options);
  expect([scan.status, scan.text, scan.cookies]).toEqual([204, "", []]);
  expect((await verify(token, { headers: browser })).status).toBe(302);
});

it("GET /console/auth/verify opened twenty times at once begins one session", async () => {
  const token = await fixture.newToken(address);
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(token, { headers: browser })));
  expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array.from({ length: 19 }, () => 401)]);
  expect(answers.flatMap(({ cookies }) => cookies)).toHaveLength(2);
});

it("GET /console/auth/verify offers a browser a new link after a fault that may have used it, and logs the fault once", async () => {
  const token = await fixture.newToken(address);
  const end = injectFaults(testEnv.client, ({ index }) => (index === 2 ? "crash" : "pass"));
  const { status, text, cookies } = await verify(token, { headers: browser });
  end();
  expect([status, cookies]).toEqual([500, []]);
  expect(text).toContain("This link no longer works");
  expect(testEnv.lines).toMatchObject([{ event: "request.failed", operation: "verifySignInLink", error: "Crash" }]);
  expect((await verify(token)).status).toBe(401);
  expect((await verify(await fixture.newToken(address))).status).toBe(302);
});

it.each([0, 1, 2])("GET /console/me names the user, and the tenant of a member of one (%i)", async (count) => {
  const { user, tenants } = await fixture.newUser(address, count);
  const headers = await signIn();
  const { status, text } = await call("me", { headers });
  expect([status, JSON.parse(text).data]).toEqual([
    200,
    {
      user_id: user.id,
      actor_id: `console:${user.id}`,
      email: address,
      name: null,
      session_expires_at: iso(Math.floor(testEnv.now() / SECOND) * SECOND + SESSION_LIFETIME),
      tenant: count === 1 ? tenants[0] : null,
      tenants: [...tenants].sort(),
      csrf_token: headers["x-csrf-token"],
      invites: [],
    },
  ]);
});

it("GET /console/me gives the page of a console on another host the token for its writes", async () => {
  const { cookie } = await signIn();
  const headers = { cookie, origin: CONSOLE, "sec-fetch-site": "same-site" };
  const me = await call("me", { headers });
  expect(me.headers.get("access-control-allow-origin")).toBe(CONSOLE);
  const token = { "x-csrf-token": JSON.parse(me.text).data.csrf_token };
  expect((await post("auth/logout", "", { ...headers, ...token })).status).toBe(200);
});

it("PATCH /console/me gives the user a name, which each of their tenants lists, and later ones too", async () => {
  const { user, tenants } = await fixture.newUser(address, 2);
  const headers = await signIn();
  const rename = (name: unknown) =>
    call("me", {
      method: "PATCH",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
  const listedNames = async () => (await fixture.stores.memberships.ofUser(user.id, tenants)).map(({ name }) => name);
  for (const name of ["", " ", "a\nb", "\u200b", "n".repeat(81), 7, null]) {
    expect((await rename(name)).status).toBe(400);
  }
  expect(await listedNames()).toEqual([null, null]);
  for (const name of ["n".repeat(80), "Mara"]) {
    const { status, text } = await rename(name);
    expect([status, JSON.parse(text).data]).toEqual([200, { name }]);
    expect(await listedNames()).toEqual([name, name]);
    expect(JSON.parse((await call("me", { headers })).text).data.name).toBe(name);
  }
  expect(
    (await call("me", { method: "PATCH", headers: { cookie: headers.cookie }, body: '{"name":"Eve"}' })).status,
  ).toBe(403);
  expect(await listedNames()).toEqual(["Mara", "Mara"]);
});

it("GET /console/me is refused without a session", async () => {
  expect((await call("me")).status).toBe(401);
});

it("POST /console/auth/logout ends each session of the user, and removes the cookies", async () => {
  const [one, other] = [await signIn(), await signIn()];
  const { status, text, cookies } = await post("auth/logout", "", one);
  expect([status, text]).toEqual([200, '{"ok":true,"data":{"signed_out":true}}']);
  expect(cookies).toEqual([
    "console_session=; HttpOnly; Path=/; Max-Age=0; SameSite=Lax; Secure",
    "console_csrf=; Path=/; Max-Age=0; SameSite=Lax; Secure",
  ]);
  for (const headers of [one, other]) expect((await call("me", { headers })).status).toBe(401);
  expect((await call("me", { headers: await signIn() })).status).toBe(200);
});

it("POST /console/auth/logout needs the CSRF token", async () => {
  const { cookie } = await signIn();
  const { status, text } = await post("auth/logout", "", { cookie });
  expect([status, JSON.parse(text).error.code]).toEqual([403, "csrf_failed"]);
  expect((await call("me", { headers: { cookie } })).status).toBe(200);
});

it("no log line, audit row or queue message has an address, a token or a cookie", async () => {
  const canary = "canary.person@canary-domain.example";
  const { tenants } = await fixture.newUser(canary);
  address = canary;
  await post("auth/request", { email: canary, redirect: "/canary" });
  const token = await fixture.newToken(canary);
  const end = injectFaults(testEnv.client, ({ index }) => (index === 2 ? "crash" : "pass"));
  await verify(token, { headers: browser });
  end();
  const headers = await signIn();
  await post("auth/logout", "", headers);
  const { rows } = await fixture.stores.audit.list(tenants[0] as never, {
    before: null,
    limit: 50,
    now: testEnv.now(),
  });
  expect(rows.map(({ action }) => action).sort()).toEqual([
    "invite.accept",
    "invite.create",
    "session.sign_in",
    "session.sign_out",
    "tenant.create",
  ]);
  expect(testEnv.lines.length).toBeGreaterThan(0);
  const written = JSON.stringify([rows, testEnv.lines, await fixture.queuedBodies()]);
  for (const secret of ["canary", token, headers.cookie.split(/[=;]/)[1] ?? "", headers["x-csrf-token"]]) {
    expect(secret.length).toBeGreaterThan(5);
    expect(written).not.toContain(secret);
  }
});

it("the Lambda answer has both cookies apart from the headers", async () => {
  const token = await fixture.newToken(address);
  const handler = lambdaHandler(app, () => {});
  const event = {
    rawPath: "/console/auth/verify",
    rawQueryString: `token=${token}`,
    headers: { cookie: `console_sign_in=${BROWSER}` },
    requestContext: { requestId: "r", http: { method: "GET", sourceIp: "203.0.113.1" } },
  };
  const result = await handler(event as never, { getRemainingTimeInMillis: () => 10_000 });
  expect(result.statusCode).toBe(302);
  expect(result.cookies?.map((cookie) => cookie.split("=")[0])).toEqual(["console_session", "console_csrf"]);
  expect(result.headers).not.toHaveProperty("set-cookie");
});
