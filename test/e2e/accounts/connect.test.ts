import { afterAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { listAllMessages } from "../support/api-calls.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { openBrowser } from "./browser.ts";

// A person connects accounts by the logins of the simulated platforms, and the accounts receive and answer messages.

const INSTAGRAM = "17841402200110044";
const PAGE = "106631254400117";
const LINKED_INSTAGRAM = "17841409900887766";
const PAGE_WITHOUT_MESSAGES = "110047710092835";

const stack = openedOnce(openSharedStack);
const browser = openedOnce(() => openBrowser(stack));
afterAll(async () => {
  // The simulator is shared too: its accounts are not connected again.
  for (const [account, connection] of [
    [INSTAGRAM, "instagram_login"],
    [PAGE, "messenger"],
  ]) {
    await stack.sim("POST", "/subscriptions", { account, connection, subscribed: false });
  }
});

/** A person writes to an account, and is answered. */
async function expectConversation(account: string, connection: string): Promise<void> {
  const text = `To ${connection}`;
  const sends = { account, connection, person: `Ada of ${connection}`, text };
  const { status_of_webhook } = await stack.sim<{ status_of_webhook: string }>("POST", "/person-sends", sends);
  expect(status_of_webhook).toBe("delivered");
  await waitUntilIdle(stack);
  expect(await listAllMessages(stack)).toEqual(
    expect.arrayContaining([expect.objectContaining({ text, direction: "inbound" })]),
  );
  const { body } = await stack.api("GET", "/v1/conversations");
  const conversation = body.data.conversations.find(
    (candidate: { last_message_text: string }) => candidate.last_message_text === text,
  );
  const reply = { conversation_id: conversation?.id, text: `From ${connection}` };
  expect((await stack.api("POST", "/v1/messages/reply", reply)).status).toBe(200);
}

/** The account has the picture that its platform serves. */
async function expectPicture(account: string): Promise<void> {
  const { text } = await stack.api("GET", "/v1/accounts");
  const { data } = JSON.parse(text) as { data: { accounts: { external_id: string; picture: string }[] } };
  const picture = data.accounts.find(({ external_id }) => external_id === account)?.picture ?? "";
  expect(picture).toContain(`/media/account-${account}.png?`);
  const { status, headers } = await fetch(picture);
  expect([status, headers.get("content-type")]).toEqual([200, "image/png"]);
}

/** The accounts that can send. */
async function connectedKeys(): Promise<string[]> {
  const { text } = await stack.api("GET", "/v1/accounts");
  const { data } = JSON.parse(text) as { data: { accounts: { account_key: string; status: string }[] } };
  return data.accounts.filter(({ status }) => status === "active").map(({ account_key }) => account_key);
}

it("an account of Instagram's login is connected, receives a message and answers it", async () => {
  const callback = await browser.decide("instagram", { sim_consent: "auto", sim_account: INSTAGRAM });
  const account = encodeURIComponent(`instagram#${INSTAGRAM}`);
  expect(await browser.locationOf(browser.visit(callback))).toBe(`/accounts?connected=${account}`);
  expect(await connectedKeys()).toContain(`instagram#${INSTAGRAM}`);
  expect(await browser.locationOf(browser.visit(callback))).toBe("/accounts?error=oauth_state_invalid");
  await expectPicture(INSTAGRAM);
  await expectConversation(INSTAGRAM, "instagram_login");
});

it("a page and its Instagram account are chosen after a login of Facebook, receive a message and answer it", async () => {
  const callback = await browser.decide("messenger", { sim_consent: "auto" }, "/");
  expect(await browser.locationOf(browser.visit(callback))).toBe("/app/demo/accounts?choose=messenger");
  const { status, body } = await browser.call("GET", "/oauth/messenger/pages");
  expect(status).toBe(200);
  const { pages } = body.data as { pages: { page_id: string }[] };
  expect(pages).toContainEqual({
    page_id: PAGE,
    name: "Copper Kettle",
    messenger: {
      account_key: `messenger#${PAGE}`,
      connected: false,
      picture: expect.stringContaining(`/account-${PAGE}.png`),
    },
    instagram: {
      account_key: `instagram#${LINKED_INSTAGRAM}`,
      username: "copper.kettle",
      connected: false,
      picture: expect.stringContaining(`/account-${LINKED_INSTAGRAM}.png`),
    },
  });
  expect(pages.map(({ page_id }) => page_id)).not.toContain(PAGE_WITHOUT_MESSAGES);

  const selected = await browser.call("POST", "/oauth/messenger/select", {
    page_id: PAGE,
    connect: ["messenger", "instagram"],
  });
  expect([selected.status, selected.body.data]).toMatchObject([
    200,
    { accounts: [{ account_key: `messenger#${PAGE}` }, { account_key: `instagram#${LINKED_INSTAGRAM}` }] },
  ]);
  expect(await connectedKeys()).toEqual(expect.arrayContaining([`messenger#${PAGE}`, `instagram#${LINKED_INSTAGRAM}`]));
  await expectPicture(PAGE);
  await expectPicture(LINKED_INSTAGRAM);
  await expectConversation(PAGE, "messenger");
  await expectConversation(LINKED_INSTAGRAM, "instagram_page");
});

it("a canceled login and one without the right to messages connect nothing", async () => {
  const before = await connectedKeys();
  expect(await browser.locationOf(browser.visit(await browser.decide("instagram", { sim_deny: "1" })))).toBe(
    "/accounts?error=oauth_denied",
  );
  expect(await browser.locationOf(browser.visit(await browser.decide("messenger", { sim_deny: "1" })))).toBe(
    "/accounts?error=oauth_denied",
  );
  const without = { sim_consent: "auto", sim_account: INSTAGRAM, sim_without: "instagram_business_manage_messages" };
  expect(await browser.locationOf(browser.visit(await browser.decide("instagram", without)))).toBe(
    "/accounts?error=oauth_failed",
  );
  expect(await connectedKeys()).toEqual(before);
});

it("the data of a person is deleted when the platform requests it, and a page says when it is done", async () => {
  const person = { account: INSTAGRAM, connection: "instagram_login" };
  const { status, body } = await stack.sim<{ status: number; body: string }>("POST", "/data-deletion", person);
  expect(status).toBe(200);
  const { url } = JSON.parse(body) as { url: string };
  const page = async () => (await browser.visit(url)).text();
  expect(await page()).toContain("Deletion in progress");
  await waitFor("the end of the deletion", async () => {
    await stack.clock("PT1M");
    await waitUntilIdle(stack);
    return (await page()).includes("Deletion completed") ? true : null;
  });
  expect(await connectedKeys()).not.toContain(`instagram#${INSTAGRAM}`);
  expect(JSON.stringify(await listAllMessages(stack))).not.toContain("To instagram_login");
});

it("no log has a code, a state or a token", () => {
  const log = stack.log();
  for (const secret of browser.secrets.filter((text) => text !== "")) expect(log).not.toContain(secret);
  expect(log).not.toMatch(/IGAA|EAA[A-Za-z0-9]{10}/);
});
