import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { languageOf, pageInLanguage } from "#http/browser/localized-pages.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import { HeaderMap } from "#http/header-map.ts";
import { readSignInPage } from "../../functions/console/page-files.ts";
import { buildSignInPage } from "../../web/build.ts";
import { accessibilityViolations } from "./support/accessibility.ts";
import { openedBrowser, openPage } from "./support/page-visit.ts";

// The sign-in page under its policy, against a server that answers requests for links as the test says.

const LINK = "/console/auth/verify?token=used-token";
const folder = mkdtempSync(join(tmpdir(), "sign-in-page-"));
const browser = openedBrowser();
let server: Server;
let origin: string;
let requests: unknown[];
let sessionStatus: number;
let logoutStatus: number;
let inviteStatus: number;
let invites: object[];
let nextAnswer: { status: number; headers?: Record<string, string>; body?: string } | "drop";

beforeAll(async () => {
  buildSignInPage(folder);
  const files = readSignInPage(folder);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    if (pathname === "/console/auth/request") {
      void text(request).then((received) => {
        requests.push([request.method, JSON.parse(received)]);
        if (nextAnswer === "drop") return response.destroy();
        const { status, headers, body = JSON.stringify({ ok: status === 200, data: { sent: true } }) } = nextAnswer;
        response.writeHead(status, headers).end(body);
      });
      return;
    }
    if (pathname === "/console/me" || pathname === "/console/auth/logout") {
      requests.push([request.method, pathname, request.headers["x-csrf-token"] ?? null]);
      const status = pathname === "/console/me" ? sessionStatus : logoutStatus;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ ok: status === 200, data: { email: "mara@example.com", csrf_token: "t", invites } }),
      );
      return;
    }
    if (pathname.startsWith("/console/invites/")) {
      requests.push([request.method, pathname, request.headers["x-csrf-token"] ?? null]);
      response.writeHead(inviteStatus, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ ok: inviteStatus === 200, data: {}, error: { code: "c", message: "m", detail: "" } }),
      );
      return;
    }
    const file = files.get(pageInLanguage(pathname, languageOf(new HeaderMap(asked(request))))) ?? files.get(pathname);
    const status = file ? (pathname.endsWith("/verify") ? 401 : 200) : 404;
    response.writeHead(status, { ...pageHeaders, "content-type": file?.type ?? "text/plain" }).end(file?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
  sessionStatus = 200;
  logoutStatus = 200;
  inviteStatus = 200;
  invites = [];
  nextAnswer = { status: 200 };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** What the browser asked for. */
function asked({ headers }: IncomingMessage): Record<string, string> {
  return { "accept-language": headers["accept-language"] ?? "" };
}

async function send(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button").click();
}

test("a link that no longer works redirects to a page that requests a new one, and loses its token", async () => {
  const { page, complaints, requestedUrls } = await openPage(browser, `${origin}${LINK}`);
  expect(await page.getByRole("heading").innerText()).toBe("This link no longer works");
  expect(page.url()).toBe(`${origin}/console/auth/verify`);
  await send(page, " Mara@example.com ");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  await page.getByText("If Mara@example.com may sign in").waitFor();
  expect(
    await page.getByRole("button", { name: "Send another link in 30 seconds" }).getAttribute("aria-disabled"),
  ).toBe("true");
  expect(requests).toEqual([["POST", { email: "Mara@example.com" }]]);
  expect(complaints).toEqual([]);
  expect(requestedUrls.every((url) => url.startsWith(origin))).toBe(true);
});

test("the page has no accessibility violations, before and after a problem, and after the request", async () => {
  const { page } = await openPage(browser, `${origin}${LINK}`, { bypassCSP: true });
  expect(await accessibilityViolations(page)).toEqual([]);
  nextAnswer = { status: 400 };
  await send(page, "unknown");
  await page.getByRole("alert").getByText("Enter a full email address.").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  nextAnswer = { status: 200 };
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

test("the sign-in page has its own words", async () => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in`);
  expect(await page.getByRole("heading").innerText()).toBe("Sign in");
  expect(await page.getByRole("button").innerText()).toBe("Send a link");
  expect(readFileSync(join(folder, "index.en.html"), "utf8")).not.toContain("{{");
});

test("after 30 seconds a press sends another link, and the address can be corrected", async () => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in`, { clockAt: Date.now() });
  await send(page, "mara@example.con");
  await page.getByText("If mara@example.con may sign in").waitFor();
  const resend = page.getByRole("button", { name: /^Send another link/ });
  // The button waits: a press does nothing.
  await resend.click({ force: true });
  expect(requests).toHaveLength(1);
  await page.clock.runFor(30_000);
  await resend.click();
  await page.getByRole("status").getByText("Another link is on its way.").waitFor();
  expect(requests).toHaveLength(2);
  await page.getByRole("button", { name: "Use another address" }).click();
  expect(await page.getByLabel("Email address").inputValue()).toBe("mara@example.con");
  await send(page, "mara@example.com");
  await page.getByText("If mara@example.com may sign in").waitFor();
  expect(requests.at(-1)).toEqual(["POST", { email: "mara@example.com" }]);
});

test("a browser gets the page in its language, with numbers as people write them there", async () => {
  const { page, complaints } = await openPage(browser, `${origin}/console/auth/sign-in`, { locale: "de-AT" });
  expect(await page.getByRole("heading").innerText()).toBe("Anmelden");
  expect(await page.evaluate("document.documentElement.lang")).toBe("de");
  nextAnswer = { status: 429, headers: { "retry-after": "601" } };
  await page.getByLabel("E-Mail-Adresse").fill("mara@example.com");
  await page.getByRole("button").click();
  await page.getByRole("alert").getByText("Versuchen Sie es in 11 Minuten noch einmal.").waitFor();
  expect(complaints).toEqual([]);
});

test.each([
  ["no address", { status: 400 }, "Enter a full email address.", true],
  ["above a cap", { status: 429, headers: { "retry-after": "601" } }, "Try again in 11 minutes.", false],
  ["at a fault", { status: 500 }, "Try again in a minute.", false],
  ["without a connection", "drop", "No connection.", false],
  ["where a Wi-Fi sign-in page answers", { status: 200, body: "<p>Welcome</p>" }, "No connection.", false],
] as const)("the page says what to do %s, and sends again", async (_, answer, words, isInvalid) => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in`);
  nextAnswer = answer;
  await send(page, "mara@example");
  await page.getByRole("alert").getByText(words).waitFor();
  expect(await page.getByLabel("Email address").getAttribute("aria-invalid")).toBe(String(isInvalid));
  nextAnswer = { status: 200 };
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
});

const SIGNED_IN = "/console/auth/signed-in";

const toInvite = (id: string, rest: object = {}) => ({
  id,
  tenant: "harbor",
  name: "Harbor",
  role: "agent",
  invited_by: "console:usr_1",
  invited_by_email: "sam@example.com",
  expires_at: null,
  ...rest,
});

test("the page after a sign-in leads a person without invites to the console", async () => {
  const { page } = await openPage(browser, `${origin}${SIGNED_IN}`);
  await page.waitForURL(`${origin}/app`);
  expect(requests).toEqual([["GET", "/console/me", null]]);
});

test.each([
  ["/app", "/app"],
  ["/app/acme/inbox/instagram/178414/993?filter=open#m3", "/app/acme/inbox/instagram/178414/993?filter=open#m3"],
  ["/oauth/connect?tenant=harbor", "/oauth/connect?tenant=harbor"],
  ["/apple", undefined],
  ["/app/../console/auth/logout", undefined],
  ["//evil.example/app/acme", undefined],
  [SIGNED_IN, undefined],
])("the sign-in page that %s names redirects to %s alone, also after a reload", async (redirect, sent) => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in?redirect=${encodeURIComponent(redirect)}`);
  await page.reload();
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  expect(requests).toEqual([["POST", { email: "mara@example.com", ...(sent && { redirect: sent }) }]]);
});

test("the page after a sign-in names the person, and signs them out with the token of the session", async () => {
  invites = [toInvite("inv_1")];
  const { page, complaints } = await openPage(browser, `${origin}${SIGNED_IN}`);
  expect(await page.getByRole("heading").innerText()).toBe("You are signed in");
  await page.getByText("mara@example.com").waitFor();
  logoutStatus = 500;
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("alert").getByText("Parley could not sign you out. Try again.").waitFor();
  logoutStatus = 200;
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(page.url()).toBe(`${origin}/console/auth/sign-in`);
  expect(requests).toEqual([
    ["GET", "/console/me", null],
    ["POST", "/console/auth/logout", "t"],
    ["POST", "/console/auth/logout", "t"],
  ]);
  expect(complaints).toEqual([]);
});

test("the page after a sign-in leads a browser without a session to the sign-in page", async () => {
  sessionStatus = 401;
  const { page } = await openPage(browser, `${origin}${SIGNED_IN}`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(page.url()).toBe(`${origin}/console/auth/sign-in`);
});

test("the page after a sign-in has no accessibility violations, also after a problem", async () => {
  invites = [toInvite("inv_1")];
  logoutStatus = 500;
  const { page } = await openPage(browser, `${origin}${SIGNED_IN}`, { bypassCSP: true });
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("alert").getByText("Try again.").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

test("an invite's mail links to a sign-in that accepts it, also after a reload", async () => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in?invite=inv_1`);
  await page.reload();
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  expect(requests).toEqual([["POST", { email: "mara@example.com", invite: "inv_1" }]]);
});

test("the page after a sign-in offers the invites that wait, which the person accepts or declines by a press", async () => {
  invites = [
    toInvite("inv_1", { name: "<b>Har\u202ebor</b>" }),
    toInvite("inv_2", { tenant: "mill", name: "Mill", role: "owner", invited_by_email: null }),
    toInvite("inv_3", { tenant: "quay", name: "Quay" }),
  ];
  const { page, complaints } = await openPage(browser, `${origin}${SIGNED_IN}`);
  const items = page.getByRole("list", { name: "Your invites" }).getByRole("listitem");
  await items.first().waitFor();
  expect(await items.first().getByRole("paragraph").allInnerTexts()).toEqual([
    "Join <b>Harbor</b> (harbor) as an agent?",
    "Invited by sam@example.com.",
  ]);
  expect(await items.nth(1).getByRole("paragraph").allInnerTexts()).toEqual([
    "Join Mill (mill) as an owner?",
    "Invited by the operator.",
  ]);
  // Nothing is answered before a press.
  expect(requests).toEqual([["GET", "/console/me", null]]);
  await items.nth(0).getByRole("button", { name: "Accept" }).click();
  await page.getByText("You are a member of <b>Harbor</b> now.").waitFor();
  await items.nth(0).getByRole("button", { name: "Decline" }).click();
  await page.getByText("You declined the invite to Mill.").waitFor();
  inviteStatus = 500;
  await items.nth(0).getByRole("button", { name: "Accept" }).click();
  await page.getByRole("alert").getByText("Parley could not answer the invite. Try again.").waitFor();
  inviteStatus = 404;
  await items.nth(0).getByRole("button", { name: "Accept" }).click();
  await page.getByText("The invite to Quay has ended.").waitFor();
  expect(await items.count()).toBe(0);
  const answers = requests.filter((request) => (request as string[])[0] === "POST");
  expect(answers.slice(0, 2)).toEqual([
    ["POST", "/console/invites/inv_1/accept", "t"],
    ["POST", "/console/invites/inv_2/decline", "t"],
  ]);
  expect(complaints.filter((text) => !/status of (404|500)/.test(text))).toEqual([]);
});

test("the page with invites has no accessibility violations", async () => {
  invites = [toInvite("inv_1"), toInvite("inv_2", { tenant: "mill", name: "Mill" })];
  const { page } = await openPage(browser, `${origin}${SIGNED_IN}`, { bypassCSP: true });
  await page.getByRole("listitem").first().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});
