import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Gateway, openGateway } from "#local-aws/gateway/gateway.ts";
import { handleLocalRequest, type LocalControls } from "#local-aws/gateway/local-routes.ts";
import { controlHeaders, testControlToken } from "../../../support/access/control-token.ts";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { testBrowser } from "../../../web/support/browser.ts";

// The mailbox of the local stack in a real Chromium. The gateway is that of the stack, the mails are those of the test.

const mail = (id: string, parts: object) => ({
  id,
  at: Date.parse("2026-03-01T10:00:00Z"),
  from: "parley@local.test",
  to: ["person@example.com"],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: `Mail ${id}`,
  text: null,
  html: null,
  ...parts,
});
const mails = [mail("plain", { subject: "Sign in to Parley" })];
let gateway: Gateway;
let page: Page;
const complaints: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  gateway = await openGateway(0);
  Object.assign(mails[0] ?? {}, {
    text: `Press it within 15 minutes: ${gateway.url}/_local/signed-in?x=1.\n\nSee you.`,
  });
  const controls: LocalControls = {
    token: testControlToken,
    now: Date.now,
    advance: async () => {},
    mails: () => mails,
    refuseAtEdge: () => {},
    failConnections: () => {},
  };
  gateway.serve({
    routes: [],
    functions: { invoke: async () => ({ statusCode: 404 }) },
    now: Date.now,
    report: (line) => complaints.push(line),
    handleLocal: async (request, response) => await handleLocalRequest(controls, request, response),
    shouldRefuseAtEdge: () => false,
  });
  const context = await (await testBrowser()).newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  context.on("request", (request) => requests.push(request.url()));
});
afterAll(async () => {
  await page.context().close();
  await gateway.close();
});

async function expectAccessible(): Promise<void> {
  if (inject("fullRun")) expect(await accessibilityViolations(page)).toEqual([]);
}
const address = () => `${gateway.url}/_local/mail`;
const open = async () => await page.goto(`${address()}#token=${testControlToken.value}`);

test("a program gets the mails as JSON with the token, and a browser gets a page without any mail", async () => {
  const html = { accept: "text/html,application/xhtml+xml" };
  const json = await fetch(address(), { headers: { ...controlHeaders(), ...html } });
  expect(await json.json()).toEqual({ mails });
  expect((await fetch(address())).status).toBe(401);
  expect((await fetch(address(), { headers: { accept: "application/json" } })).status).toBe(401);
  const answer = await fetch(address(), { headers: html });
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const body = await answer.text();
  for (const secret of ["Sign in to Parley", testControlToken.value]) expect(body).not.toContain(secret);
  expect((await fetch(address(), { method: "POST", headers: html })).status).toBe(401);
  expect((await fetch(address(), { headers: { ...html, origin: "https://other.example" } })).status).toBe(403);
});

test("a tab without the token asks for it, and shows why a wrong one is refused", async () => {
  await page.goto(address());
  const field = page.getByLabel("Token", { exact: true });
  await field.fill("wrong-token-of-somebody");
  await field.press("Enter");
  await page.getByText("Wrong control token.").waitFor();
  await expectAccessible();
  await field.fill(testControlToken.value);
  await field.press("Enter");
  await page.getByRole("link", { name: /Sign in to Parley/ }).waitFor();
});

test("a link with the token opens the mails, the newest first, and the token leaves the address", async () => {
  await open();
  await page.getByRole("link", { name: /Sign in to Parley/ }).waitFor();
  expect(page.url()).toBe(address());
  mails.unshift(mail("newer", { text: "Later" }));
  await page.getByRole("link", { name: /Mail newer/ }).waitFor();
  expect(await page.locator(".row-subject").allInnerTexts()).toEqual(["Mail newer", "Sign in to Parley"]);
  expect(await page.locator("#status").innerText()).toBe("2 mails. None left this machine.");
  await page.getByRole("heading", { name: "Mail newer" }).waitFor();
});

test("the links of a text are pressed in a new tab, without the full stop behind them, and back shows the list", async () => {
  await open();
  await page.getByRole("link", { name: /Sign in to Parley/ }).click();
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  expect(page.url()).toBe(`${address()}#plain`);
  expect(await page.locator("dl").innerText()).toContain("person@example.com");
  await expectAccessible();
  const opened = page.context().waitForEvent("page");
  await page.locator("pre a").click();
  const tab = await opened;
  await tab.waitForURL(`${gateway.url}/_local/signed-in?x=1`);
  await tab.close();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "All mails" }).click();
  await page.getByRole("link", { name: /Mail newer/ }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  await expectAccessible();
  await page.goBack();
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("the HTML of a mail is shown in a frame that runs no script and loads nothing, and its links work", async () => {
  const html = `<style>p { color: rgb(1, 2, 3); }</style><p>Hello</p><img src="https://tracker.invalid/pixel">
    <script>parent.document.title = "taken"</script><meta http-equiv="refresh" content="0;url=https://other.invalid/">
    <form action="${gateway.url}/_local/clock" method="post"><button>Send</button></form>
    <a href="${gateway.url}/_local/invited">Accept</a>`;
  mails.unshift(mail("rich", { html, text: "Plain" }));
  await open();
  await page.getByRole("link", { name: /Mail rich/ }).click();
  const frame = page.frameLocator("iframe");
  await frame.getByText("Hello").waitFor();
  const color = await page.frames()[1]?.evaluate("getComputedStyle(document.querySelector('p')).color");
  expect(color).toBe("rgb(1, 2, 3)");
  await expectAccessible();
  requests.length = 0;
  await frame.getByRole("button", { name: "Send" }).click();
  const opened = page.context().waitForEvent("page");
  await frame.getByRole("link", { name: "Accept" }).click();
  const tab = await opened;
  await tab.waitForURL(`${gateway.url}/_local/invited`);
  await tab.close();
  expect(await page.title()).toBe("Mailbox");
  expect(requests.filter((url) => /invalid|clock/.test(url))).toEqual([]);
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await page.locator("pre", { hasText: "Plain" }).waitFor();
  expect(complaints).toEqual([]);
});
