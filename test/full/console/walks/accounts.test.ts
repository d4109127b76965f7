import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleVisit, nameOneself, signInByMail, visitConsole } from "../../../e2e/console/console-visit.ts";
import { waitUntilIdle } from "../../../e2e/support/emulator-journals.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import { bothHands } from "../support/hands.ts";

// A person connects accounts at the console: a mail, the former address of the page, and the consent pages
// of the simulator. The tests of each way of working continue one another in one tab.

const INSTAGRAM = { account: "17841402200110044", connection: "instagram_login" };
const LINKED = { account: "17841409900887766", connection: "instagram_page" };
const FACEBOOK_PAGE = { account: "106631254400117", connection: "messenger" };

describe.each(bothHands)("the accounts at the console by $how", (hands) => {
  const { how } = hands;
  const stack = openedOnce(openSharedStack);
  let visit: ConsoleVisit;
  let page: Page;
  beforeAll(async () => {
    visit = await visitConsole(stack, await testBrowser(), hands.screen);
    page = visit.page;
  });
  afterAll(async () => {
    await visit.context.close();
    // The simulator is shared: its accounts are not connected again.
    for (const { account, connection } of [INSTAGRAM, LINKED, FACEBOOK_PAGE]) {
      await stack.sim("POST", "/subscriptions", { account, connection, subscribed: false });
    }
  });

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const press = (name: string | RegExp) => hands.press(page, button(name));
  const says = (text: string) => page.getByText(text).first().waitFor();
  const accountKeys = async () => {
    const { accounts } = (await stack.api("GET", "/v1/accounts")).body.data;
    return accounts.map(({ account_key }: { account_key: string }) => account_key);
  };

  /** A person writes to an account, and is answered. */
  async function expectConversation({ account, connection }: typeof LINKED): Promise<void> {
    const text = `To ${connection} by ${how}`;
    await stack.sim("POST", "/person-sends", { account, connection, person: `Ada of ${connection}`, text });
    await waitUntilIdle(stack);
    const { conversations } = (await stack.api("GET", "/v1/conversations")).body.data;
    const conversation = conversations.find(({ last_message_text }) => last_message_text === text);
    const reply = { conversation_id: conversation?.id, text: `From ${connection} by ${how}` };
    expect((await stack.api("POST", "/v1/messages/reply", reply)).status).toBe(200);
  }

  it("the former address of the page redirects a signed-in person to the console's accounts", async () => {
    await signInByMail(stack, visit, { send: () => hands.press(page, page.getByRole("button")) });
    await nameOneself(visit, "Ines Marlow");
    await page.goto(`${stack.info.base_url}/oauth/connect?tenant=demo`);
    await page.getByRole("heading", { name: "Accounts" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/app/demo/accounts");
  });

  it("an Instagram account is connected, receives a message and answers it", async () => {
    await press("Connect an account");
    await press("Continue with Instagram");
    await page.getByRole("heading", { name: "Log in with Instagram" }).waitFor();
    await hands.check(page, page.getByRole("radio", { name: /Fern & Field/ }));
    await press("Allow");
    await says("Fern & Field (Instagram) is connected.");
    await expectConversation(INSTAGRAM);
  });

  it("a login that is canceled connects nothing", async () => {
    await press("Connect an account");
    await press("Continue with Facebook for Messenger");
    await page.getByRole("heading", { name: "Log in with Facebook" }).waitFor();
    await press("Cancel");
    await says("The login was canceled");
    expect(await accountKeys()).not.toContain(`messenger#${FACEBOOK_PAGE.account}`);
  });

  it("a Facebook page is chosen and connected, receives a message and answers it", async () => {
    await press("Connect an account");
    await press("Continue with Facebook for Messenger");
    await press("Allow");
    await page.getByRole("radio", { name: "Copper Kettle" }).waitFor();
    await hands.check(page, page.getByRole("radio", { name: "Copper Kettle" }));
    // On it the person may not answer.
    expect(await page.getByRole("radio", { name: "Quarry Records" }).count()).toBe(0);
    await press("Connect");
    await says("Copper Kettle (Messenger) is connected.");
    await expectConversation(FACEBOOK_PAGE);
  });

  it("the Instagram account of a page is chosen and connected, receives a message and answers it", async () => {
    await press("Connect an account");
    await press("Continue with Facebook for Instagram");
    await press("Allow");
    await page.getByRole("checkbox", { name: "Messenger" }).waitFor();
    await hands.check(page, page.getByRole("radio", { name: "Copper Kettle" }));
    const kind = (name: string) => page.getByRole("checkbox", { name });
    expect([await kind("Messenger").isChecked(), await kind("Instagram @copper.kettle").isChecked()]).toEqual([
      false,
      true,
    ]);
    await press("Connect");
    await says("Copper Kettle (Instagram) is connected.");
    await expectConversation(LINKED);
  });

  it("an account is logged in again, and is disconnected after a question", async () => {
    await press(/^Manage Fern & Field/);
    await press("Log in again");
    await hands.check(page, page.getByRole("radio", { name: /Fern & Field/ }));
    await press("Allow");
    await says("Fern & Field (Instagram) is connected.");
    await press(/^Manage Fern & Field/);
    await press("Disconnect");
    await page.getByText("Its conversations stay until they expire.").waitFor();
    await press("Disconnect");
    await says("Fern & Field (Instagram) is disconnected.");
    const keys = await accountKeys();
    expect(keys).toContain(`messenger#${FACEBOOK_PAGE.account}`);
    expect(keys).not.toContain(`instagram#${INSTAGRAM.account}`);
    expect(visit.complaints).toEqual([]);
  });
});
