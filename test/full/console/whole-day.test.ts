import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bubbles,
  type ConsoleVisit,
  DESK,
  nameOneself,
  PHONE,
  rowOf,
  signInByMail,
  tabTo,
  tenPictures,
  visitConsole,
  waitUntilLive,
} from "../../e2e/console/console-visit.ts";
import { openClient, sentMessages, simulatedAccount } from "../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";
import { testBrowser } from "../../web/support/browser.ts";

// A day at the console, once at a desk by keyboard alone and once on a phone by touch alone. The tests of each continue
// one another in one tab.

const HOUR = 3_600_000;
const FERN_AND_FIELD = { account: "17841402200110044", connection: "instagram_login" };

/** How a person works. */
interface Hands {
  readonly screen: BrowserContextOptions;
  press(page: Page, target: Locator): Promise<unknown>;
  choose(page: Page, target: Locator): Promise<unknown>;
  openAccounts(page: Page): Promise<unknown>;
  openInbox(page: Page): Promise<unknown>;
  openRow(page: Page, person: string): Promise<unknown>;
  write(page: Page, text: string): Promise<unknown>;
  /** Sends what is written, or holds it. */
  send(page: Page, button: string): Promise<unknown>;
  done(page: Page): Promise<unknown>;
  openPerson(page: Page): Promise<unknown>;
  /** Goes back to the list, where it is another page. */
  leave(page: Page): Promise<unknown>;
}

const keyboard: Hands = {
  screen: DESK,
  async press(page, target) {
    await tabTo(page, target);
    await page.keyboard.press("Enter");
  },
  async choose(page, target) {
    // Tab reaches the chosen one of the group, the arrows the others.
    await tabTo(page, page.getByRole("radio", { checked: true }));
    await tabTo(page, target, "ArrowDown");
  },
  async openAccounts(page) {
    for (const key of "ga") await page.keyboard.press(key);
  },
  async openInbox(page) {
    for (const key of "gi") await page.keyboard.press(key);
  },
  async openRow(page, person) {
    // From the top, because the open row may be below.
    await rowOf(page, person).waitFor();
    for (let row = await page.locator(".row").count(); row > 0; row -= 1) await page.keyboard.press("k");
    await tabTo(page, rowOf(page, person), "j");
    await page.keyboard.press("Enter");
  },
  async write(page, text) {
    await page.keyboard.press("r");
    await page.keyboard.type(text);
  },
  send: (page) => page.keyboard.press("Control+Enter"),
  async done(page) {
    await page.keyboard.press("e");
  },
  openPerson: async () => undefined,
  leave: (page) => page.keyboard.press("Escape"),
};

const touch: Hands = {
  screen: PHONE,
  press: (_, target) => target.tap(),
  choose: (_, target) => target.tap(),
  openAccounts: (page) => page.getByRole("link", { name: "Accounts" }).tap(),
  openInbox: (page) => page.getByRole("link", { name: "Open the inbox" }).tap(),
  openRow: (page, person) => rowOf(page, person).tap(),
  async write(page, text) {
    await page.getByRole("textbox").tap();
    await page.keyboard.insertText(text);
  },
  send: (page, button) => page.getByRole("button", { name: button }).tap(),
  done: (page) => page.getByRole("button", { name: "Done" }).tap(),
  openPerson: (page) => page.getByRole("button", { name: "About this person" }).tap(),
  leave: (page) => page.getByRole("link", { name: "Back to the list" }).tap(),
};

describe.each([
  { how: "keyboard", hands: keyboard },
  { how: "touch", hands: touch },
])("a day at the console by $how", ({ how, hands }) => {
  const stack = openedOnce(openSharedStack);
  let visit: ConsoleVisit;
  let page: Page;
  beforeAll(async () => {
    // An account has the messages since it was connected: that becomes more than a day ago.
    await stack.clock("PT26H");
    visit = await visitConsole(stack, await testBrowser(), hands.screen);
    page = visit.page;
  });
  afterAll(async () => {
    await visit.context.close();
    // The simulator is shared too: its accounts are not connected again.
    await stack.sim("POST", "/subscriptions", { ...FERN_AND_FIELD, subscribed: false });
  });
  // The platform has what was sent on both days.
  const ANSWER = `Until noon (by ${how}).`;
  const LATE_ANSWER = `It is, come by (by ${how}).`;
  const composer = () => page.locator(".foot textarea");

  /** A person writes, to the account that was connected. What is older than that account goes to another one. */
  const personWrites = async (person: string, text: string, ago = 0) => {
    const account = ago === 0 ? FERN_AND_FIELD : simulatedAccount(stack, "instagram_login");
    await stack.sim("POST", "/person-sends", { ...account, person, text, at: (await stack.now()) - ago });
  };

  it("a person signs in by the mailed link and gives a name", async () => {
    const button = page.getByRole("button");
    await signInByMail(stack, visit, { send: () => hands.press(page, button) });
    await nameOneself(visit, "Ines Marlow");
  });

  it("an account is connected on the page for accounts", async () => {
    await hands.openAccounts(page);
    await new Promise((r) => setTimeout(r, 1500));
    await hands.press(page, page.getByRole("button", { name: "Connect an account" }));
    await hands.press(page, page.getByRole("button", { name: "Continue with Instagram", exact: true }));
    await page.getByRole("heading", { name: "Log in with Instagram" }).waitFor();
    await hands.choose(page, page.getByRole("radio", { name: /Fern & Field/ }));
    await hands.press(page, page.getByRole("button", { name: "Allow" }));
    await page.getByText("Fern & Field (Instagram) is connected.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Fern & Field" }).getByText("Active", { exact: true }).waitFor();
    await hands.openInbox(page);
    await page.getByRole("heading", { name: "Everyone has an answer" }).waitFor();
  });

  it("a message of the connected account appears without a reload and is answered once", async () => {
    await waitUntilLive(visit);
    await personWrites("Waiting Wanda", "Are you open on Sunday?");
    await rowOf(page, "Waiting Wanda").getByText("Are you open on Sunday?").waitFor();
    await hands.openRow(page, "Waiting Wanda");
    await bubbles(page, "Are you open on Sunday?").waitFor();
    await hands.write(page, ANSWER);
    await hands.send(page, "Send");
    await bubbles(page, ANSWER).getByText("You").waitFor();
    expect(await bubbles(page, ANSWER).count()).toBe(1);
    expect(await sentMessages(stack, ANSWER)).toHaveLength(1);
  });

  it("ten pictures are attached and sent as one message", async () => {
    const before = (await sentMessages(stack)).length;
    const chooser = page.waitForEvent("filechooser");
    await hands.press(page, page.getByRole("button", { name: "Attach files" }));
    await (await chooser).setFiles(tenPictures());
    await waitFor("ten ready files", async () => (await page.locator(".tray img").count()) === 10);
    await waitFor("no file that waits", async () => (await page.locator(".tray .p").count()) === 0);
    await hands.press(page, page.getByRole("button", { name: "Send" }));
    const sent = await waitFor("the message", async () => {
      const all = await sentMessages(stack);
      return all.length > before ? all.slice(before) : null;
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.request.message).toMatchObject({ attachments: { length: 10 } });
    await waitFor("the pictures", async () => (await page.locator(".m.out[data-message] .pics img").count()) === 10);
    await hands.leave(page);
    // It is answered, and nothing holds the list in its place.
    await rowOf(page, "Waiting Wanda").waitFor({ state: "detached" });
  });

  it("a message after 24 hours is held, read again, checked and sent once", async () => {
    await personWrites("Late Lena", "Is it mended?", 25 * HOUR);
    await rowOf(page, "Late Lena").waitFor();
    await hands.openRow(page, "Late Lena");
    await bubbles(page, "Is it mended?").waitFor();
    await hands.write(page, LATE_ANSWER);
    await hands.send(page, "Hold to check");
    await page.getByText("Held. Read it again, then send it yourself.").waitFor();
    expect(await sentMessages(stack, LATE_ANSWER)).toEqual([]);
    await hands.press(page, page.getByRole("button", { name: "Send as Ines Marlow" }));
    await bubbles(page, LATE_ANSWER).getByText("You, as a person").waitFor({ timeout: 60_000 });
    const sent = await sentMessages(stack, LATE_ANSWER);
    expect(sent.map(({ request }) => request.tag)).toEqual(["HUMAN_AGENT"]);
    await hands.leave(page);
  });

  it("a window that closes while a person types changes the composer and not the text", async () => {
    await personWrites("Closing Chloe", "Anyone there?", 24 * HOUR - 15_000);
    await rowOf(page, "Closing Chloe").waitFor();
    await hands.openRow(page, "Closing Chloe");
    await page.getByText("You can reply until").waitFor();
    await hands.write(page, "Yes, we ");
    await page.getByText("You can still write").waitFor({ timeout: 30_000 });
    expect(await composer().inputValue()).toBe("Yes, we ");
    await page.keyboard.insertText("are.");
    expect(await composer().inputValue()).toBe("Yes, we are.");
    await page.getByRole("button", { name: "Hold to check" }).waitFor();
    expect(await sentMessages(stack, "Yes, we are.")).toEqual([]);
    await hands.leave(page);
  });

  it("a conversation is marked as done, and the mark is undone", async () => {
    await personWrites("Thankful Theo", "Thanks!");
    await rowOf(page, "Thankful Theo").waitFor();
    await hands.openRow(page, "Thankful Theo");
    await bubbles(page, "Thanks!").waitFor();
    await hands.done(page);
    await page.getByText("Marked as done").waitFor();
    await hands.press(page, page.getByRole("button", { name: "Undo" }));
    await page.getByText("Needs reply again").waitFor();
    const id = await conversationOf("Thankful Theo");
    expect((await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}`)).body.data).toMatchObject({
      conversation: { done_at: null, needs_reply: true },
    });
  });

  it("a person's data is erased after the handle was typed", async () => {
    const id = await conversationOf("Thankful Theo");
    await hands.openPerson(page);
    await hands.press(page, page.getByRole("button", { name: "Erase this person’s data" }));
    const field = page.getByRole("textbox", { name: /^Type .+ to confirm$/ });
    const dialog = page.getByRole("dialog", { name: "Erase this person’s data" });
    const words = (await dialog.locator("label span").textContent()) ?? "";
    const confirm = dialog.getByRole("button", { name: "Erase", exact: true });
    expect(await confirm.getAttribute("aria-disabled")).toBe("true");
    await hands.press(page, field);
    await page.keyboard.insertText(/^Type (.+) to confirm$/.exec(words)?.[1] ?? "");
    await hands.press(page, confirm);
    await page.getByText(/^Erased: 1 message/).waitFor();
    await rowOf(page, "Thankful Theo").waitFor({ state: "detached" });
    expect((await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it("the day caused no complaint of the policy and no request to another origin", () => {
    expect(visit.complaints).toEqual([]);
    expect(visit.foreignUrls).toEqual([]);
  });

  async function conversationOf(person: string): Promise<string> {
    const { conversations } = await openClient(stack).conversations.list({});
    return conversations.find(({ participant_name }) => participant_name === person)?.id ?? "";
  }
});
