import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { type LocalStack, openSharedStack } from "../e2e/support/local-stack.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { testBrowser } from "../web/support/browser.ts";
import { endVisits, openPage, type PageVisit } from "../web/support/page-visit.ts";

// A person connects accounts in a browser: the page that connects accounts, the sign-in page, a mail, and the consent
// pages of the simulator. The tests continue one another in one tab.

const OWNER = "owner@local.invalid";
const INSTAGRAM = "17841402200110044";
const FACEBOOK_PAGE = "106631254400117";

let stack: LocalStack;
let browser: Browser;
let visit: PageVisit;
let page: Page;

beforeAll(async () => {
  [stack, browser] = await Promise.all([openSharedStack(), testBrowser()]);
  visit = await openPage(browser, `${stack.info.base_url}/oauth/connect`, { newTab: true });
  page = visit.page;
});
afterAll(async () => {
  await endVisits(browser);
  // The simulator is shared too: its accounts are not connected again.
  for (const [account, connection] of [
    [INSTAGRAM, "instagram_login"],
    [FACEBOOK_PAGE, "messenger"],
  ]) {
    await stack.sim("POST", "/subscriptions", { account, connection, subscribed: false });
  }
  await stack.stop();
});

const showsResult = (text: string) => page.locator("#result").getByText(text).waitFor();

async function openConsent(button: string, heading: string): Promise<void> {
  await page.getByRole("link", { name: button, exact: true }).click();
  await page.getByRole("heading", { name: heading }).waitFor();
}

interface Mail {
  readonly to: readonly string[];
  readonly text: string;
}

async function mails(): Promise<readonly Mail[]> {
  return (await stack.local<{ mails: Mail[] }>("GET", "/mail")).mails;
}

/** A person writes to an account, and is answered. */
async function expectConversation(account: string, connection: string): Promise<void> {
  const text = `To ${connection}`;
  await stack.sim("POST", "/person-sends", { account, connection, person: `Ada of ${connection}`, text });
  await waitUntilIdle(stack);
  const { conversations } = (await stack.api("GET", "/v1/conversations")).body.data;
  const conversation = conversations.find(({ last_message_text }) => last_message_text === text);
  const reply = { conversation_id: conversation?.id, text: `From ${connection}` };
  expect((await stack.api("POST", "/v1/messages/reply", reply)).status).toBe(200);
}

it("a signed-out person signs in and is redirected back", async () => {
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const before = (await mails()).length;
  await page.getByLabel("Email address").fill(OWNER);
  await page.getByRole("button").click();
  const mail = await waitFor("the mail", async () => {
    const all = await mails();
    return all.length > before ? all[0] : null;
  });
  await page.goto(/https?:\S+/.exec(mail.text)?.[0] ?? "");
  await page.getByRole("heading", { name: "Accounts" }).waitFor();
  await page.getByText(`Signed in as ${OWNER}.`).waitFor();
});

it("an Instagram account is connected, receives a message and answers it", async () => {
  await openConsent("Connect Instagram", "Log in with Instagram");
  await page.getByRole("radio", { name: /Fern & Field/ }).check();
  await page.getByRole("button", { name: "Allow" }).click();
  await showsResult("Fern & Field (Instagram) is connected.");
  await page.getByRole("heading", { name: "Fern & Field", exact: true }).waitFor();
  await expectConversation(INSTAGRAM, "instagram_login");
});

it("a login that is canceled connects nothing", async () => {
  await openConsent("Connect a Facebook page", "Log in with Facebook");
  await page.getByRole("button", { name: "Cancel" }).click();
  await showsResult("The login was canceled");
  expect(await page.getByRole("heading", { name: "Copper Kettle" }).count()).toBe(0);
});

it("both accounts of a Facebook page are connected, receive messages and answer them", async () => {
  await openConsent("Connect a Facebook page", "Log in with Facebook");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("radio", { name: "Copper Kettle" }).check();
  expect(await page.getByRole("radio", { name: "Quarry Records" }).count()).toBe(0);
  await page.getByRole("checkbox", { name: "Instagram @copper.kettle" }).check();
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await showsResult("Copper Kettle (Messenger) and Copper Kettle (Instagram) are connected.");
  await expectConversation(FACEBOOK_PAGE, "messenger");
  expect(visit.complaints).toEqual([]);
});

it("an account is disconnected", async () => {
  await page.getByRole("button", { name: "Disconnect Fern & Field on Instagram" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await showsResult("Fern & Field (Instagram) is disconnected.");
  const { accounts } = (await stack.api("GET", "/v1/accounts")).body.data;
  const keys = accounts.map(({ account_key }: { account_key: string }) => account_key);
  expect(keys).toContain(`messenger#${FACEBOOK_PAGE}`);
  expect(keys).not.toContain(`instagram#${INSTAGRAM}`);
  expect(visit.complaints).toEqual([]);
});
