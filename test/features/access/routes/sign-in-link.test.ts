import { beforeEach, expect, it } from "vitest";
import { sealInviteLink } from "#features/access/flows/team/invite-link.ts";
import { readSignInPage } from "../../../../functions/console/page-files.ts";
import { buildSignInPage } from "../../../../web/build.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { builtPage } from "../../../support/routes/built-page.ts";
import { API, CONSOLE, openConsoleApp } from "../../../support/routes/console-app.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { BROWSER, openSignInFixture } from "../flows/support/sign-in-fixture.ts";

// Who may use a sign-in link, and how: the browser that requested it at once, any other by a press.

const pageFiles = await builtPage(buildSignInPage, readSignInPage);
/** The messages for the mail worker. */
const sent: string[] = [];
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openSignInFixture(testEnv));
const app = openedOnce(() =>
  openConsoleApp(testEnv, {
    ...fixture.ports(),
    signInCaps: { consume: async () => null },
    mails: { send: async ({ body }) => void sent.push(body) },
    pageFiles,
  }),
);
let address: string;
beforeEach(() => {
  ({ address } = fixture.newPerson());
});

type Headers = Readonly<Record<string, string>>;

async function call(path: string, init: { method?: string; headers?: Headers; body?: string } = {}) {
  const response = await app.fetch(new Request(`http://gateway/console/auth/${path}`, init), { sourceIp: "192.0.2.1" });
  const { status, headers } = response;
  return { status, headers, text: await response.text(), cookies: headers.getSetCookie() };
}

const html = { accept: "text/html,application/xhtml+xml" };
const own = { ...html, cookie: `console_sign_in=${BROWSER}` };
const open = (token: string, headers: Headers, method = "GET") => call(`verify?token=${token}`, { method, headers });
const pressed = { ...html, "content-type": "application/x-www-form-urlencoded" };
const press = (token: string, headers: Headers = { "sec-fetch-site": "same-origin", origin: API }) =>
  call("verify", {
    method: "POST",
    headers: { ...pressed, ...headers },
    body: new URLSearchParams({ token }).toString(),
  });
const request = (email: string, headers: Headers = {}) =>
  call("request", { method: "POST", headers, body: JSON.stringify({ email, redirect: "/" }) });
const cookieOf = ({ cookies }: { cookies: string[] }) => cookies.map((cookie) => cookie.split(";")[0]).join("; ");

it("a sign-in link works at once in the browser that requested it", async () => {
  const { status, headers, cookies } = await open(await fixture.newToken(address, "/inbox"), own);
  expect([status, headers.get("location"), cookies.length]).toEqual([302, `${CONSOLE}/inbox`, 2]);
});

it.each([
  ["no cookie", {}],
  ["the cookie of another browser", { cookie: `console_sign_in=${Buffer.alloc(32, 8).toString("base64url")}` }],
  ["two such cookies", { cookie: `console_sign_in=${BROWSER}; console_sign_in=${BROWSER}` }],
  ["a cookie of another form", { cookie: `console_sign_in=${BROWSER}=` }],
  ["an empty cookie", { cookie: "console_sign_in=" }],
])("a sign-in link asks first in a browser with %s, and works by one press", async (_, headers) => {
  const token = await fixture.newToken(address, "/inbox");
  const page = await open(token, { ...html, ...headers });
  expect([page.status, page.cookies]).toEqual([200, []]);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "strict-origin",
    "x-frame-options": "DENY",
  });
  expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${CONSOLE};`);
  // The address is shown in part, and nothing but a press sends the form.
  expect(page.text).toContain(`<strong class="address">p…@example.com</strong>`);
  expect(page.text).not.toContain(address);
  expect(page.text).not.toContain("<script");
  expect(page.text).toContain(`<input type="hidden" name="token" value="${token}">`);
  expect(page.text).not.toContain("{{");
  const { status, headers: answer, cookies } = await press(token);
  expect([status, answer.get("location"), cookies.length]).toEqual([303, `${CONSOLE}/inbox`, 2]);
  expect((await press(token)).status).toBe(401);
  expect((await open(token, own)).status).toBe(401);
});

it.each([
  ["a plain GET", [["GET", { accept: "*/*" }]]],
  [
    "a GET with the headers of a browser",
    [["GET", { ...html, "sec-fetch-site": "none", "user-agent": "Mozilla/5.0" }]],
  ],
  ["a HEAD request", [["HEAD", html]]],
  ["a prefetch", [["GET", { ...html, "sec-purpose": "prefetch" }]]],
  [
    "two GETs",
    [
      ["GET", html],
      ["GET", html],
    ],
  ],
] as const)("a sign-in link survives a scanner that sends %s, which gets no cookie", async (_, requests) => {
  const token = await fixture.newToken(address);
  const before = await fixture.wholeTable();
  for (const [method, headers] of requests) {
    const { status, cookies } = await open(token, headers, method);
    expect([status, cookies]).toEqual([method === "HEAD" || "sec-purpose" in headers ? 204 : 200, []]);
  }
  expect(await fixture.wholeTable()).toBe(before);
  expect((await open(token, own)).status).toBe(302);
});

it("a sign-in link pressed twenty times at once begins one session", async () => {
  const token = await fixture.newToken(address);
  const answers = await Promise.all(Array.from({ length: 20 }, () => press(token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 19 }, () => 401)]);
  expect(answers.flatMap(({ cookies }) => cookies)).toHaveLength(2);
});

it.each([
  ["another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  ["another origin of the site", { "sec-fetch-site": "same-site", origin: "https://other.parley.example" }],
  ["the console on another origin", { "sec-fetch-site": "same-site", origin: CONSOLE }],
  ["an address that was typed", { "sec-fetch-site": "none" }],
  ["a page that hides its origin", { "sec-fetch-site": "cross-site", origin: "null" }],
  ["an older browser, on another site", { origin: "https://evil.example" }],
  ["an older browser that hides its origin", { origin: "null" }],
  ["a program", {}],
])("a sign-in link is not used by a press from %s", async (_, headers) => {
  const token = await fixture.newToken(address);
  const forged = await press(token, headers);
  expect([forged.status, JSON.parse(forged.text).error.code, forged.cookies]).toEqual([403, "csrf_failed", []]);
  expect((await press(token, { origin: API })).status).toBe(303);
});

it.each(["", "token=a&token=b", "token", "token=%00", `token=${"x".repeat(3_900)}`])(
  "a sign-in link is refused for the form %j as an unknown one",
  async (body) => {
    const headers = { ...pressed, "sec-fetch-site": "same-origin" };
    expect((await call("verify", { method: "POST", headers, body })).status).toBe(401);
  },
);

it("a sign-in link asks first where another person is signed in, and names them", async () => {
  const session = cookieOf(await open(await fixture.newToken(address), own));
  const other = fixture.newPerson().address;
  const token = await fixture.newToken(other);
  const page = await open(token, { ...html, cookie: `${own.cookie}; ${session}` });
  expect([page.status, page.cookies]).toEqual([200, []]);
  expect(page.text).toContain(`This browser is signed in as <strong>${address}</strong>.`);
  expect((await press(token, { origin: API, cookie: `${own.cookie}; ${session}` })).status).toBe(303);
});

it("a sign-in link works at once beside an own session, an ended one and one that is none", async () => {
  const { cookies } = await open(await fixture.newToken(address), own);
  const session = cookieOf({ cookies });
  const csrf = /console_csrf=([^;]+)/.exec(session)?.[1] ?? "";
  const again = await open(await fixture.newToken(address), { ...html, cookie: `${own.cookie}; ${session}` });
  expect(again.status).toBe(302);
  await call("logout", { method: "POST", headers: { cookie: session, "x-csrf-token": csrf } });
  const other = fixture.newPerson().address;
  for (const cookie of [session, "console_session=x", "console_session=a; console_session=b"]) {
    const token = await fixture.newToken(other);
    expect((await open(token, { ...html, cookie: `${own.cookie}; ${cookie}` })).status).toBe(302);
  }
});

it("the request of a link gives each address the same answer, with a secret for the browser, and makes the same calls", async () => {
  await fixture.newUser(address);
  const invited = fixture.newPerson().address;
  await fixture.newInvite(invited);
  const answers: string[] = [];
  for (const email of [address, invited, "stranger@example.com"]) {
    const calls: string[] = [];
    const end = injectFaults(testEnv.client, ({ command }) => {
      calls.push(command);
      return "pass";
    });
    const { status, headers, text, cookies } = await request(email);
    end();
    const plain = [...headers].filter(([name]) => name !== "x-correlation-id" && name !== "set-cookie");
    answers.push(
      JSON.stringify([status, plain, text, cookies.map((cookie) => cookie.replace(/=[\w-]{43};/, "=;")), calls]),
    );
  }
  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0] ?? "")[3]).toEqual([
    "console_sign_in=; HttpOnly; Path=/console/auth; Max-Age=900; SameSite=Lax; Secure",
  ]);
});

it("the request of a link keeps the secret that the browser has, and replaces one of another form", async () => {
  const { cookies } = await request(address, { cookie: `console_sign_in=${BROWSER}` });
  expect(cookies).toEqual([expect.stringContaining(`console_sign_in=${BROWSER};`)]);
  for (const value of ["", "x", `${BROWSER}A`, `${BROWSER.slice(0, -1)}B`]) {
    const [cookie = ""] = (await request(fixture.newPerson().address, { cookie: `console_sign_in=${value}` })).cookies;
    expect(cookie).toMatch(/^console_sign_in=[\w-]{43};/);
    expect(cookie.startsWith(`console_sign_in=${value};`)).toBe(false);
  }
});

it.each([
  [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  [{ origin: "null", "sec-fetch-site": "cross-site" }],
  [{ origin: "https://evil.example" }],
  [{ "sec-fetch-site": "same-site" }],
])("the request of a link from another page (%j) binds no browser: its link asks first everywhere", async (headers) => {
  const { status, cookies } = await request(address, { ...headers, cookie: `console_sign_in=${BROWSER}` });
  expect([status, cookies]).toEqual([200, []]);
  const token = await fixture.tokenOf(sent.at(-1) ?? "");
  expect((await open(token, own)).status).toBe(200);
});

it.each([
  { origin: CONSOLE, "sec-fetch-site": "same-site" },
  { origin: API, "sec-fetch-site": "same-origin" },
])("the request of a link from the console (%j) binds its browser", async (headers) => {
  const { cookies } = await request(address, headers);
  const token = await fixture.tokenOf(sent.at(-1) ?? "");
  expect((await open(token, { ...html, cookie: cookieOf({ cookies }) })).status).toBe(302);
});

it("the request of a link accepts an invite by the text of its mail alone, and not by the id that its inviter knows", async () => {
  const { user } = await fixture.newUser(address);
  const tenantsOf = async () =>
    (await fixture.stores.users.readSession(user.id))?.memberships.map((one) => one.tenant).sort() ?? [];
  const before = await tenantsOf();
  const { id, tenant } = await fixture.newInvite(address);
  const signInWith = async (invite: unknown) => {
    await call("request", { method: "POST", body: JSON.stringify({ email: address, invite }) });
    expect((await press(await fixture.tokenOf(sent.at(-1) ?? ""))).status).toBe(303);
  };
  const other = sealInviteLink(oneKeyRing(Buffer.alloc(32, 1)), id, testEnv.now());
  const own = sealInviteLink(await fixture.ports().loginKeys(), id, testEnv.now());
  for (const invite of [id, other, `${own}=`, "", 7]) {
    await signInWith(invite);
    expect(await tenantsOf()).toEqual(before);
  }
  await signInWith(own);
  expect(await tenantsOf()).toEqual([...before, tenant].sort());
});
