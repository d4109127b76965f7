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
    const file = files.get(pageInLanguage(pathname, languageOf(new HeaderMap(asked(request))))) ?? files.get(pathname);
    const status = file ? (pathname.endsWith("/verify") ? 401 : 200) : 404;
    response.writeHead(status, { ...pageHeaders, "content-type": file?.type ?? "text/plain" }).end(file?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
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

test("the sign-in page sends another link by a press after 30 seconds, and lets the address be corrected", async () => {
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

test.each([
  ["/app", "/app"],
  ["/app/acme/inbox/instagram/178414/993?filter=open#m3", "/app/acme/inbox/instagram/178414/993?filter=open#m3"],
  ["/oauth/connect?tenant=harbor", "/oauth/connect?tenant=harbor"],
  ["/apple", undefined],
  ["/app/../console/auth/logout", undefined],
  ["//evil.example/app/acme", undefined],
  ["/console/auth/signed-in", undefined],
])("the sign-in page that %s names redirects to %s alone, also after a reload", async (redirect, sent) => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in?redirect=${encodeURIComponent(redirect)}`);
  await page.reload();
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  expect(requests).toEqual([["POST", { email: "mara@example.com", ...(sent && { redirect: sent }) }]]);
});

test("an invite's mail links to a sign-in that accepts it, also after a reload", async () => {
  const { page } = await openPage(browser, `${origin}/console/auth/sign-in?invite=inv_1`);
  await page.reload();
  await send(page, "mara@example.com");
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  expect(requests).toEqual([["POST", { email: "mara@example.com", invite: "inv_1" }]]);
});
