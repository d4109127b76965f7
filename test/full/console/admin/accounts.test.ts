import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { eventually, expectAccessible, expectWaysOn, openAdmin, press, tracesOf } from "../support/admin-page.ts";
import { account, HOUR, loginPage, type SmallWorld, workspace } from "../support/small-world.ts";
import { PICTURE } from "../support/states.ts";

const ACCOUNTS = "/app/acme/accounts";
const SERVED = "https://scontent.fbcdn.net/account.png";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

function fill(world: SmallWorld): void {
  world.accounts = [
    account("Acme Studio", { token_expires_at: ago(-24 * 40), last_refreshed_at: ago(26), subscribed_at: ago(3) }),
    account("Acme Mill", {
      account_key: "messenger#9",
      platform: "messenger",
      connection: "messenger",
      page_id: "9",
      status: "needs_reauth",
      status_detail: "<b>Error 190</b>",
      subscribed_at: ago(30),
    }),
    account("Acme Shop", { account_key: "instagram#7", status: "restricted", missing_since: ago(5) }),
  ];
  world.loginPages = [loginPage("9", "Acme Mill"), loginPage("10", "Acme Harbor", "acme.harbor")];
}

const rows = (page: Page) => page.getByRole("list", { name: "Connected accounts" }).locator("> li");
const pathOf = (page: Page) => page.evaluate<string>("location.pathname + location.search");

it("an account without a picture has its initials and the sign of its platform, and asks no other host", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  await world.open(ACCOUNTS);
  const faces = rows(page).locator(".account-face");
  await faces.nth(2).waitFor();
  expect(await faces.locator(".face").allInnerTexts()).toEqual(["AM", "AS", "AS"]);
  // The initials are for the eye; the platform is for everyone.
  expect(await faces.locator("[aria-hidden=true].face").count()).toBe(3);
  expect(await faces.locator(".unseen").allInnerTexts()).toEqual(["Messenger", "Instagram", "Instagram"]);
  const [face, glyph] = [faces.first(), faces.first().locator(".glyph")];
  expect(Math.round((await face.boundingBox())?.width ?? 0)).toBe(38);
  // The sign covers no initial.
  const letters = await page.evaluate<number>(`(() => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(".account-face .face"));
    return range.getBoundingClientRect().bottom;
  })()`);
  // Capitals stand above the space for what hangs below a line.
  expect((await glyph.boundingBox())?.y).toBeGreaterThan(letters - 4);
  await world.open("/app/acme/overview");
  await page.locator(".panel .account-face").nth(2).waitFor();
  expect(world.requestedUrls.filter((url) => !url.startsWith(world.origin) && !/^(blob|data):/.test(url))).toEqual([]);
  expect(world.complaints).toEqual([]);
});

it("an account has the picture that its platform serves, and its initials where that address has ended", async () => {
  const world = await openAdmin([browser, server], (small) => {
    fill(small);
    const pictures = [SERVED, "https://scontent.fbcdn.net/ended.png", null];
    small.accounts = small.accounts.map((each, at) => ({ ...each, picture: pictures[at] }));
    const { messenger, ...page } = loginPage("9", "Acme Mill");
    small.loginPages = [{ ...page, messenger: { ...messenger, picture: SERVED } }, loginPage("10", "Acme Harbor")];
  });
  const { page } = world;
  await page.route(SERVED, (route) => route.fulfill({ contentType: "image/png", body: PICTURE }));
  await world.open(`${ACCOUNTS}?choose=messenger`);
  const faces = rows(page).locator(".account-face");
  await faces.locator("img").first().waitFor();
  await eventually(() => faces.locator("span.face").allInnerTexts()).toEqual(["AM", "AS"]);
  const choice = page.locator(".page-choice");
  // Of the page among the pages, and of its account.
  await eventually(() => choice.locator("img").count()).toBe(2);
  expect(await choice.locator("span.face").allInnerTexts()).toEqual(["AH"]);
  await world.open("/app/acme/overview");
  await page.locator(`.panel .account-face img[src="${SERVED}"]`).waitFor();
  expect(world.complaints).toEqual([]);
});

it("an admin connects by each of the three ways, reconnects and disconnects, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.workspaces = [workspace("acme", "Acme", { role: "admin" })];
  await world.open(ACCOUNTS);
  await rows(page).nth(2).waitFor();

  // What is broken stands first and in words.
  expect(await rows(page).locator(".main > b").allInnerTexts()).toEqual(["Acme Mill", "Acme Shop", "Acme Studio"]);
  await page.getByText("Acme Mill must be logged in again.").waitFor();
  expect(await rows(page).first().innerText()).toContain("Messenger says: <b>Error 190</b>");
  for (const words of ["restricted by the platform.", "may be missing since"]) {
    expect(await rows(page).nth(1).innerText()).toContain(words);
  }
  expect(await rows(page).nth(2).innerText()).toContain("Active");

  await press(page, "Connect an account");
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "Instagram",
    "Instagram with a Facebook page",
    "Messenger",
  ]);
  expect(await dialog.getByRole("list", { name: /^What it needs/ }).count()).toBe(3);
  await press(page, "Continue with Instagram");
  await page.getByRole("status").getByText("Acme Studio (Instagram) is connected.").waitFor();
  // A reload does not repeat it.
  expect(await pathOf(page)).toBe(ACCOUNTS);

  // The Instagram account of a page: that alone is chosen, of the page that has one.
  await press(page, "Connect an account");
  await press(page, "Continue with Facebook for Instagram");
  await page.getByRole("heading", { name: "Choose a Facebook page" }).waitFor();
  const [messenger, instagram] = [page.getByLabel("Messenger"), page.getByLabel("Instagram @acme.harbor")];
  await instagram.waitFor();
  expect([await messenger.isChecked(), await instagram.isChecked()]).toEqual([false, true]);
  await instagram.press("Space");
  await press(page, "Connect");
  await page.getByText("Choose at least one account.").waitFor();
  expect(world.calls).not.toContain("POST /oauth/messenger/select");
  await instagram.press("Space");
  await press(page, "Connect");
  await page.getByRole("status").getByText("Acme Harbor (Instagram) is connected.").waitFor();
  expect(await page.getByRole("radio").count()).toBe(0);
  expect(await pathOf(page)).toBe(ACCOUNTS);

  // A page: its own account alone.
  await press(page, "Connect an account");
  await press(page, "Continue with Facebook for Messenger");
  await page.getByRole("radio", { name: "Acme Harbor" }).press("Space");
  expect([await messenger.isChecked(), await instagram.isChecked()]).toEqual([true, false]);
  await press(page, "Connect");
  await page.getByRole("status").getByText("Acme Harbor (Messenger) is connected.").waitFor();
  await eventually(() => rows(page).count()).toBe(5);

  // A login that is needed again has the same choice.
  await press(page, "Log in again: Acme Mill");
  await page.getByRole("radio", { name: "Acme Mill" }).waitFor();
  await press(page, "Connect");
  await page.getByText("Acme Mill must be logged in again.").waitFor({ state: "detached" });

  await press(page, "Manage Acme Shop");
  await dialog.getByText("instagram#7").waitFor();
  await press(page, "Disconnect");
  await dialog.getByText("Its conversations stay until they expire.").waitFor();
  await page.keyboard.press("Escape");
  expect(world.calls).not.toContain("DELETE /v1/accounts/{id}");
  await press(page, "Manage Acme Shop");
  await press(page, "Disconnect");
  await dialog.getByText("Its conversations stay until they expire.").waitFor();
  await press(page, "Disconnect");
  await page.getByText("Acme Shop (Instagram) is disconnected.").waitFor();
  await eventually(() => rows(page).count()).toBe(4);
  expect(world.complaints).toEqual([]);
  expect(await tracesOf(world)).not.toContain("Acme Shop");
});

it("an agent sees the accounts and what is wrong with them, and changes nothing", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.workspaces = [workspace("acme", "Acme", { role: "agent" })];
  await world.open(`${ACCOUNTS}?choose=messenger`);
  await rows(page).nth(2).waitFor();
  await page.getByText("Acme Mill must be logged in again.").waitFor();
  await page.getByText("An admin or an owner of the workspace connects").waitFor();
  expect(await page.locator("main").getByRole("button").allInnerTexts()).toEqual(["Details", "Details", "Details"]);
  await press(page, "Details of Acme Mill");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("messenger#9").waitFor();
  expect(await dialog.getByRole("button").count()).toBe(1);
  expect(world.calls).not.toContain("GET /oauth/messenger/pages");
});

it("a login that connected an account links to the inbox, and one that failed does not", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  const link = page.locator("main").getByRole("link", { name: "Open the inbox" });
  await world.open(`${ACCOUNTS}?error=account_in_use`);
  await page.getByRole("alert").getByText("Disconnect it there").waitFor();
  expect(await link.count()).toBe(0);
  await world.open(`${ACCOUNTS}?connected=instagram%23178414`);
  await link.waitFor();
  await link.click();
  await eventually(() => pathOf(page)).toBe("/app/acme/inbox");
});

it.each([
  ["error=account_in_use", "alert", "Disconnect it there, wait two minutes"],
  ["error=%3Cb%3Eme%3C%2Fb%3E", "alert", "The login failed."],
  ["connected=instagram%23178414", "status", "Acme Studio (Instagram) is connected."],
  ["connected=instagram%23unknown", "status", "The account is connected."],
] as const)("the page says once how a login ended: %s", async (query, role, words) => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  await world.open(`${ACCOUNTS}?${query}`);
  await page.getByRole(role).getByText(words).waitFor();
  await eventually(() => pathOf(page)).toBe(ACCOUNTS);
  await page.reload();
  await rows(page).nth(2).waitFor();
  expect(await page.getByText(words).count()).toBe(0);
});

it("an Instagram account with its own login is connected through the page only if the person says so", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.loginPages = [loginPage("178414", "Acme", "acme")];
  world.accounts = [account("Acme", { account_key: "instagram#of-178414" })];
  await world.open(`${ACCOUNTS}?choose=messenger`);
  await page.getByText("Connecting it through the page replaces that.").waitFor();
  expect(await page.getByLabel("Instagram @acme").isChecked()).toBe(false);
  await press(page, "Cancel");
  await page.getByRole("heading", { name: "Choose a Facebook page" }).waitFor({ state: "detached" });
  expect(await pathOf(page)).toBe(ACCOUNTS);
});

it("a choice whose time is over, without pages or that is refused says what to do, and can be started again", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.failures.set("GET /oauth/messenger/pages", { status: 400, code: "oauth_state_invalid" });
  await world.open(`${ACCOUNTS}?choose=messenger`);
  await page.getByRole("alert").getByText("The time to choose a page is over.").waitFor();
  await press(page, "Start again");
  await page.getByRole("button", { name: "Continue with Facebook for Messenger" }).waitFor();
  world.failures.clear();

  world.loginPages = [];
  await world.open(`${ACCOUNTS}?choose=messenger`);
  await page.getByText("Facebook offers no page").waitFor();

  world.loginPages = [loginPage("9", "Acme Mill")];
  await world.open(`${ACCOUNTS}?choose=messenger`);
  const refusal = { status: 502, code: "oauth_failed", detail: "(#200) <b>missing\u202e</b>" };
  world.failures.set("POST /oauth/messenger/select", refusal);
  await page.getByLabel("Messenger").waitFor();
  // The first account was connected before the refusal.
  world.accounts = [account("Acme Early", { account_key: "messenger#11" })];
  await press(page, "Connect");
  await page.getByRole("alert").getByText("It says: “(#200) <b>missing</b>”").waitFor();
  await rows(page).getByText("Acme Early").waitFor();
  world.failures.set("POST /oauth/messenger/select", { status: 409, code: "account_in_use" });
  await press(page, "Connect");
  await page.getByRole("alert").getByText("connected to another workspace").waitFor();
});

it("a disconnect whose answer is lost says so, and is done when it is repeated", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.failures.set("DELETE /v1/accounts/{id}", { status: 0 });
  await world.open(ACCOUNTS);
  await press(page, "Manage Acme Shop");
  await press(page, "Disconnect");
  await page.getByText("Its conversations stay until they expire.").waitFor();
  await press(page, "Disconnect");
  await page.getByRole("dialog").getByText("The answer was lost, so it may have been done.").waitFor();
  world.failures.set("DELETE /v1/accounts/{id}", { status: 404, code: "account_not_found" });
  await press(page, "Disconnect");
  await page.getByText("Acme Shop (Instagram) is disconnected.").waitFor();
  world.failures.clear();
  await expectWaysOn(world, "GET /v1/accounts", "ul[aria-label='Connected accounts']");
});

it("the page of accounts has no violation that axe finds, and fits a phone and a thumb", async () => {
  const open = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).first().click();
  await expectAccessible([browser, server], fill, [
    { path: ACCOUNTS, shown: ".account-list li" },
    { path: `${ACCOUNTS}?error=account_in_use`, shown: "[role=alert] .note" },
    { path: `${ACCOUNTS}?connected=instagram%23178414`, shown: "[role=status] .note .btn" },
    { path: ACCOUNTS, steps: open("Connect an account"), shown: ".connect-ways" },
    { path: ACCOUNTS, steps: open("Manage Acme Mill"), shown: ".account-details" },
    {
      path: ACCOUNTS,
      steps: async (page) => {
        await open("Manage Acme Mill")(page);
        await open("Disconnect")(page);
      },
      shown: "dialog[open] .danger",
    },
    { path: `${ACCOUNTS}?choose=messenger`, shown: ".page-choice input" },
  ]);
});
