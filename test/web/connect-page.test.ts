import type { Page } from "playwright-core";
import { beforeEach, expect, inject, test } from "vitest";
import { loginErrorText } from "../../web/common/login-errors.ts";
import { plantedIn, plantedText } from "../support/files/planted-characters.ts";
import { openedOnce } from "../support/opened.ts";
import { accessibilityViolations } from "./support/accessibility.ts";
import { instagram, messenger, offeredPage, startConnectServer } from "./support/connect-server.ts";
import { openedBrowser, openPage, type PageVisit, type VisitOptions } from "./support/page-visit.ts";
import { readableText } from "./support/readable-text.ts";

// The page that connects accounts under its policy, against a server that answers as the test says.

const PAGE = "/oauth/connect";
const browser = openedBrowser();

const server = openedOnce(startConnectServer);
beforeEach(() => server.reset());

/** Further cases. `npm test` has one of each kind. */
const fullTest = test.runIf(inject("fullRun"));

const open = (query = "", options?: VisitOptions): Promise<PageVisit> =>
  openPage(browser, `${server.origin}${PAGE}${query}`, options);
const result = (page: Page) => page.locator("#result p");
const entry = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });

test("the page lists the accounts of the only workspace, and offers each login with a way back", async () => {
  const { page, complaints, requestedUrls } = await open();
  const text = await entry(page, "Harbor Tailors").innerText();
  for (const words of ["@harbor.tailors", "Working", "Instagram login", "12 Nov 2026"]) expect(text).toContain(words);
  expect(await entry(page, "Harbor Tailors & Sons").innerText()).toContain("does not expire");
  expect(page.url()).toBe(`${server.origin}${PAGE}?tenant=harbor`);
  const way = (name: string) => page.getByRole("link", { name, exact: true });
  const back = `tenant=harbor&redirect=${encodeURIComponent(`${PAGE}?tenant=harbor`)}`;
  expect(await way("Connect a Facebook page").getAttribute("href")).toBe(`/oauth/messenger/start?${back}`);
  await way("Connect Instagram").click();
  await page.getByText("A login of").waitFor();
  expect(page.url()).toBe(`${server.origin}/oauth/instagram/start?${back}`);
  expect(complaints).toEqual([]);
  expect(requestedUrls.every((url) => url.startsWith(server.origin))).toBe(true);
});

test("the page has no accessibility violations with its list, a choice of pages and an open dialog", async () => {
  server.accounts.harbor = [{ ...instagram, status: "needs_reauth", status_detail: "Session expired" }, messenger];
  server.pages = [offeredPage("102", "Harbor", "1"), offeredPage("103", "Mill", null)];
  const { page } = await open("?choose=messenger&error=account_in_use", { bypassCSP: true });
  await page.getByRole("radio", { name: "Harbor" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Disconnect Harbor Tailors on Instagram" }).click();
  expect(await accessibilityViolations(page)).toEqual([]);
});

const statuses = [
  ["needs_reauth", "no longer accepts its access token", true],
  ["refresh_failing", "cannot renew its access token", true],
  ["restricted", "does not accept messages from this account for now", false],
] as const;

test.each(inject("fullRun") ? statuses : statuses.slice(0, 1))(
  "the page says what %s means, with the platform's words, and what to do",
  async (status, words, canReconnect) => {
    const times = { human_agent_blocked_at: "2026-11-20T08:00:00.000Z", last_refreshed_at: null };
    const details = { status_detail: "<b>Error 190</b>", refresh_error: "no answer" };
    server.accounts.harbor = [{ ...messenger, ...times, ...details, status }];
    const { page } = await open();
    const text = await entry(page, "Harbor Tailors & Sons").innerText();
    for (const expected of [words, "<b>Error 190</b>", "no answer", "20 Nov 2026", "Human Agent"]) {
      expect(text).toContain(expected);
    }
    const reconnect = page.getByRole("link", { name: "Reconnect Harbor Tailors & Sons on Messenger" });
    expect(await reconnect.count()).toBe(canReconnect ? 1 : 0);
    if (canReconnect)
      expect(await reconnect.getAttribute("href")).toMatch(/^\/oauth\/messenger\/start\?tenant=harbor&/);
  },
);

test.each([
  ["connected=instagram%2317841400000000001", "Harbor Tailors (Instagram) is connected."],
  ["connected=instagram%23unknown", "The account is connected."],
  ["error=account_in_use", "Disconnect it there, wait two minutes"],
])("the page says once how a login ended: %s", async (query, words) => {
  const { page } = await open(`?tenant=harbor&${query}`);
  await result(page).getByText(words).waitFor();
  expect(page.url()).toBe(`${server.origin}${PAGE}?tenant=harbor`);
});

test.each([
  ["oauth_denied", "grant every permission"],
  ["oauth_state_invalid", "longer than 10 minutes"],
  ["oauth_failed", "Start the login again and grant every permission that it asks for. If it fails again"],
  ["account_limit", "Disconnect one that you no longer need"],
  ["forbidden", "Ask an admin or an owner."],
  ["unauthorized", "You were signed out during the login."],
  ["__proto__", "The login failed."],
])("the error %s of a login has a text that says what to do", (code, words) => {
  expect(loginErrorText(code)).toContain(words);
});

test("a person chooses a page and its accounts after a login", async () => {
  server.pages = [offeredPage("101", "Mill", null), offeredPage("102", "Harbor", "17841400000000001")];
  server.accounts.harbor = [];
  server.selected = [messenger, instagram];
  const { page, complaints } = await open("?tenant=harbor&choose=messenger");
  await page.getByText("No Instagram account is linked to this page.").waitFor();
  await page.getByRole("radio", { name: "Harbor" }).check();
  await page.getByRole("checkbox", { name: "Messenger" }).uncheck();
  await page.getByRole("checkbox", { name: "Instagram @harbor.tailors" }).uncheck();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("Select at least one account.").waitFor();
  expect(server.writes).toEqual([]);
  await page.getByRole("checkbox", { name: "Messenger" }).check();
  await page.getByRole("checkbox", { name: "Instagram @harbor.tailors" }).check();
  await page.getByRole("button", { name: "Connect", exact: true }).press("Enter");
  await result(page)
    .getByText("Harbor Tailors & Sons (Messenger) and Harbor Tailors (Instagram) are connected.")
    .waitFor();
  expect(server.writes).toEqual([
    ["POST", "/oauth/messenger/select?tenant=harbor", "t", { page_id: "102", connect: ["messenger", "instagram"] }],
  ]);
  expect(await page.getByRole("listitem").count()).toBe(2);
  expect(await page.getByRole("radio").count()).toBe(0);
  expect(page.url()).toBe(`${server.origin}${PAGE}?tenant=harbor`);
  expect(complaints).toEqual([]);
});

fullTest(
  "an Instagram account with its own login is connected through the page only if the person says so",
  async () => {
    server.pages = [offeredPage("102", "Harbor", "17841400000000001")];
    const { page } = await open("?choose=messenger");
    await page.getByText("Connecting it through the page replaces that.").waitFor();
    expect(await page.getByRole("checkbox", { name: "Instagram @harbor.tailors" }).isChecked()).toBe(false);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(page.url()).toBe(`${server.origin}${PAGE}?tenant=harbor`);
  },
);

fullTest("a refused selection shows its problem and what was connected before it", async () => {
  server.pages = [offeredPage("102", "Harbor", null)];
  server.accounts.harbor = [];
  server.writeAnswer = { status: 409, code: "account_in_use" };
  const { page } = await open("?choose=messenger");
  await page.getByRole("checkbox", { name: "Messenger" }).waitFor();
  server.accounts.harbor = [messenger];
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("alert").getByText("connected to another workspace").waitFor();
  await entry(page, "Harbor Tailors & Sons").waitFor();
});

fullTest.each([
  [{ status: 400, code: "oauth_state_invalid" }, "The time to choose a page is over."],
  [{ status: 502, code: "oauth_failed" }, "The platform did not connect the account. If a permission is missing"],
])("a choice that is not possible says what to do: %o", async (pages, words) => {
  server.pages = pages;
  const { page } = await open("?choose=messenger");
  await result(page).getByText(words).waitFor();
  expect(await page.getByRole("listitem").count()).toBe(2);
});

test("the page disconnects an account after a confirmation, by keyboard", async () => {
  const { page } = await open();
  const button = page.getByRole("button", { name: "Disconnect Harbor Tailors on Instagram" });
  await button.press("Enter");
  await page.getByRole("dialog").getByText("Disconnect Harbor Tailors (Instagram)?").waitFor();
  await page.keyboard.press("Escape");
  const label = await page.evaluate("document.activeElement.getAttribute('aria-label')");
  expect(label).toBe("Disconnect Harbor Tailors on Instagram");
  expect(server.writes).toEqual([]);
  await button.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).press("Enter");
  await result(page).getByText("Harbor Tailors (Instagram) is disconnected.").waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("result");
  expect(await page.getByRole("listitem").count()).toBe(1);
  expect(server.writes).toEqual([["DELETE", "/v1/accounts/instagram%2317841400000000001?tenant=harbor", "t", null]]);
});

fullTest("a disconnect whose answer is lost says so, and is done when it is repeated", async () => {
  server.writeAnswer = "drop";
  const { page } = await open();
  await page.getByRole("button", { name: "Disconnect Harbor Tailors on Instagram" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Disconnect" });
  await confirm.click();
  await page.getByRole("alert").getByText("No connection to Parley.").waitFor();
  server.writeAnswer = { status: 404, code: "account_not_found" };
  await confirm.click();
  await result(page).getByText("is disconnected").waitFor();
});

test("an agent sees the accounts and changes nothing", async () => {
  server.workspaces = [{ id: "harbor", name: "Harbor", role: "agent" }];
  const { page } = await open("?choose=messenger");
  await page.getByText("Your role in this workspace is agent.").waitFor();
  expect(await page.getByRole("listitem").count()).toBe(2);
  expect(await page.getByRole("link").count()).toBe(0);
  expect(await page.getByRole("button").allInnerTexts()).toEqual(["Sign out"]);
});

test("a member of several workspaces chooses one, which a reload keeps", async () => {
  server.workspaces.push({ id: "mill", name: "The Mill", role: "owner" });
  const { page } = await open("?tenant=unknown");
  await page.getByLabel("Workspace").selectOption("The Mill (mill)");
  await page.getByText("No account is connected to this workspace.").waitFor();
  expect(page.url()).toBe(`${server.origin}${PAGE}?tenant=mill`);
  await page.reload();
  await page.getByText("No account is connected to this workspace.").waitFor();
  expect(await page.getByLabel("Workspace").inputValue()).toBe("mill");
});

fullTest("a person without a workspace learns how to get one", async () => {
  server.workspaces = [];
  const { page } = await open();
  await result(page).getByText("You are not a member of a workspace.").waitFor();
});

test("a signed-out person signs in and comes back to the workspace", async () => {
  server.isSignedIn = false;
  const { page } = await open("?tenant=harbor");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const request = page.waitForRequest("**/console/auth/request");
  await page.getByLabel("Email address").fill("mara@example.com");
  await page.getByRole("button").click();
  expect((await request).postDataJSON()).toEqual({ email: "mara@example.com", redirect: `${PAGE}?tenant=harbor` });
});

const foreignPages = ["https://evil.example/oauth/connect", "//evil.example/oauth/connect", "/console/auth/logout"];

test.each(inject("fullRun") ? foreignPages : foreignPages.slice(0, 1))(
  "the sign-in page redirects to no other page than its own: %s",
  async (redirect) => {
    const { page } = await openPage(
      browser,
      `${server.origin}/console/auth/sign-in?redirect=${encodeURIComponent(redirect)}`,
    );
    const request = page.waitForRequest("**/console/auth/request");
    await page.getByLabel("Email address").fill("mara@example.com");
    await page.getByRole("button").click();
    expect((await request).postDataJSON()).toEqual({ email: "mara@example.com" });
  },
);

test("the page shows what others wrote without planted characters: names, details and problems", async () => {
  const [name, detail] = [plantedText("Harbor", "Tailors"), plantedText("(#190) Session", "expired")];
  const inviter = plantedText("sam", "@example.com");
  const details = { status: "needs_reauth", status_detail: detail, refresh_error: `${detail}!` };
  server.email = plantedText("mara", "@example.com");
  server.workspaces = [
    { id: "harbor", name, role: "admin", invited_by_email: inviter },
    { id: "mill", name: plantedText("The", "Mill"), role: "owner", invited_by_email: inviter },
  ];
  server.accounts.harbor = [{ ...instagram, ...details, display_name: name, handle: plantedText("harbor", ".t") }];
  const page102 = offeredPage("102", plantedText("Page", "name"), "1");
  const linked = { account_key: "instagram#1", username: plantedText("harbor", ".i"), connected: false };
  server.pages = [{ ...page102, instagram: linked }];
  server.writeAnswer = { status: 502, code: "oauth_failed", detail };
  const { page } = await open("?tenant=harbor&choose=messenger");
  await page.getByRole("checkbox", { name: "Messenger" }).waitFor();
  const shown = await readableText(page);
  for (const start of [
    "Signed in as mara",
    "invite of sam",
    "says: (#190) Session",
    "failed with: (#190)",
    "@harbor",
  ]) {
    expect(shown).toContain(start);
  }
  for (const start of ["Reconnect Harbor", "Disconnect Harbor", "The", "Page", "Instagram @harbor"]) {
    expect(shown).toContain(`${start} x x`);
  }
  expect(plantedIn(shown)).toEqual([]);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByRole("alert").getByText("It says: “(#190) Session").waitFor();
  expect(plantedIn(await readableText(page))).toEqual([]);
  await page.getByRole("button", { name: /^Disconnect Harbor/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("alert").getByText("It says: “(#190) Session").waitFor();
  expect(plantedIn(await readableText(page))).toEqual([]);
  server.writeAnswer = "ok";
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await result(page).getByText("is disconnected.").waitFor();
  expect(plantedIn(await readableText(page))).toEqual([]);
});

fullTest("a list that does not load can be loaded again", async () => {
  server.accountsStatus = 500;
  const { page } = await open();
  await result(page).getByText("Parley did not answer as expected.").waitFor();
  server.accountsStatus = 200;
  await page.getByRole("button", { name: "Try again" }).click();
  await entry(page, "Harbor Tailors").waitFor();
  expect(await result(page).count()).toBe(0);
});

fullTest("fits a phone without scrolling sideways", async () => {
  server.accounts.harbor = [
    { ...instagram, handle: "a".repeat(60), display_name: "W".repeat(90), status: "restricted" },
  ];
  server.pages = [offeredPage("102", "P".repeat(90), "1")];
  const { page } = await open("?choose=messenger", { viewport: { width: 390, height: 844 } });
  await page.getByRole("checkbox", { name: "Messenger" }).waitFor();
  expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});
