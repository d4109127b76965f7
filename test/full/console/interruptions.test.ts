import type { Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bubbles,
  type ConsoleVisit,
  DESK,
  nameOneself,
  PHONE,
  rowOf,
  signInByMail,
  tenPictures,
  visitConsole,
  waitUntilLive,
} from "../../e2e/console/console-visit.ts";
import { openClient, sentMessages, simulatedAccount } from "../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";
import { testBrowser } from "../../web/support/browser.ts";

// The page is reloaded, the browser loses the network, or the API dies and its answers are lost, in the middle of each
// thing that a person does. Nothing is sent twice, nothing that was typed is lost, and words say what to do. The tests of
// each continue one another.

const HOUR = 3_600_000;
const FERN_AND_FIELD = { account: "17841402200110044", connection: "instagram_login" };
const API = /\/(v1|console|oauth|verify)\//;

/** Interrupts a page, and ends that. */
interface Interruption {
  start(visit: ConsoleVisit): Promise<unknown>;
  end(visit: ConsoleVisit): Promise<unknown>;
}

const offline: Interruption = {
  start: ({ context }) => context.setOffline(true),
  end: ({ context }) => context.setOffline(false),
};

/** Requests arrive, and their answers do not. The stream ends. */
const killed: Interruption = {
  async start({ page }) {
    await page.route(API, async (route) => {
      if (route.request().method() !== "GET") await route.fetch().catch(() => undefined);
      await route.abort().catch(() => undefined);
    });
    for (const stream of streams.splice(0)) await stream.close();
  },
  end: ({ page }) => page.unrouteAll({ behavior: "wait" }),
};
/** The open streams of the page whose API dies. */
const streams: WebSocketRoute[] = [];

function collectStreams(stream: WebSocketRoute): void {
  stream.connectToServer();
  streams.push(stream);
}

describe.each([
  { what: "the browser is offline", cut: offline, screen: DESK, arrives: false },
  { what: "the API dies after it took the request", cut: killed, screen: PHONE, arrives: true },
])("while $what", ({ what, cut, screen, arrives }) => {
  const stack = openedOnce(openSharedStack);
  let visit: ConsoleVisit;
  let page: Page;
  beforeAll(async () => {
    // An account has the messages since it was connected: that becomes more than a day ago.
    await stack.clock("PT26H");
    visit = await visitConsole(stack, await testBrowser(), screen);
    page = visit.page;
    if (arrives) await page.routeWebSocket(/\/live/, collectStreams);
  });
  afterAll(async () => {
    await visit.context.close();
    await stack.sim("POST", "/subscriptions", { ...FERN_AND_FIELD, subscribed: false });
  });

  const composer = () => page.locator(".foot textarea");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  /** The button of the composer. */
  const send = (name: string) => page.locator(".foot").getByRole("button", { name });
  /** Apart from the texts of the other days, which the platform has too. */
  const ownText = (text: string) => `${text} (${what})`;

  async function personWrites(person: string, text: string, ago = 0): Promise<void> {
    const at = (await stack.now()) - ago;
    await stack.sim("POST", "/person-sends", { ...simulatedAccount(stack, "instagram_login"), person, text, at });
  }

  async function openThread(person: string, text: string, ago = 0): Promise<void> {
    await page.goto(`${stack.info.base_url}/app/demo/inbox`);
    await waitUntilLive(visit);
    await personWrites(person, text, ago);
    await rowOf(page, person).click();
    await bubbles(page, text).waitFor();
  }

  it("a sign-in says that there is no connection, and works again", async () => {
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByLabel("Email address").fill("owner@local.invalid");
    await cut.start(visit);
    await page.getByRole("button").click();
    await page.getByText("No connection. Check it, then try again.").waitFor();
    await cut.end(visit);
    await signInByMail(stack, visit);
    await nameOneself(visit, "Ines Marlow");
  });

  it("an account is not connected by half, and is connected afterwards", async () => {
    await page.getByRole("link", { name: "Accounts" }).click();
    await page.getByRole("listitem").filter({ hasText: "Parley Studio" }).waitFor();
    await cut.start(visit);
    await button("Connect an account").click();
    await button("Continue with Instagram").click();
    await page.locator("dialog .problem").getByText(/./).waitFor();
    await cut.end(visit);
    await page.reload();
    await button("Connect an account").click();
    await button("Continue with Instagram").click();
    await page.getByRole("radio", { name: /Fern & Field/ }).check();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("listitem").filter({ hasText: "Fern & Field" }).waitFor();
  });

  it("what arrives in the meantime shows afterwards by itself, and after a reload", async () => {
    await openThread("Patient Pat", "First");
    await cut.start(visit);
    await page.getByText(/^(You are offline|No live connection) since /).waitFor();
    await personWrites("Patient Pat", "Second");
    await waitFor("the message at the API", async () => {
      const { messages } = await openClient(stack).messages.list({ limit: 1 });
      return messages[0]?.text === "Second";
    });
    expect(await bubbles(page, "Second").count()).toBe(0);
    await cut.end(visit);
    await bubbles(page, "Second").waitFor();
    await page.reload();
    await bubbles(page, "Second").waitFor();
    expect(await bubbles(page, "First").count()).toBe(1);
  });

  it("an answer is saved through a reload, may have arrived, and is sent once", async () => {
    const text = ownText("Until noon");
    await openThread("Waiting Wanda", "Open on Sunday?");
    await composer().fill(text);
    await page.reload();
    await waitFor("the draft", async () => (await composer().inputValue()) === text);
    await cut.start(visit);
    await send("Send").click();
    await page.getByText("May have arrived.").waitFor();
    expect(await sentMessages(stack, text)).toHaveLength(arrives ? 1 : 0);
    await cut.end(visit);
    // A message whose frame came shows by itself.
    const isOpen = page.getByRole("button", { name: "Check again" });
    if (!arrives) await isOpen.click();
    await bubbles(page, text).getByText("You").waitFor();
    await isOpen.waitFor({ state: "detached" });
    expect(await bubbles(page, text).count()).toBe(1);
    expect(await sentMessages(stack, text)).toHaveLength(1);
  });

  it("ten pictures that could not be uploaded are uploaded again by a press, and sent once", async () => {
    await openThread("Picture Pia", "Which colours?");
    const before = (await sentMessages(stack)).length;
    const attach = async () => {
      const chooser = page.waitForEvent("filechooser");
      await button("Attach files").click();
      await (await chooser).setFiles(tenPictures());
    };
    await attach();
    await page.locator(".tray img").first().waitFor();
    await page.reload();
    await bubbles(page, "Which colours?").waitFor();
    expect(await page.locator(".tray").count()).toBe(0);
    await cut.start(visit);
    await attach();
    await waitFor("ten refusals", async () => (await page.locator(".tray .chip.bad").count()) === 10, { seconds: 60 });
    await cut.end(visit);
    for (let left = 10; left > 0; left -= 1) await page.locator(".tray").getByText("Try again").first().click();
    await waitFor("ten ready files", async () => (await page.locator(".tray .chip:not(.bad) img").count()) === 10);
    await waitFor("no file that waits", async () => (await page.locator(".tray .p").count()) === 0);
    await send("Send").click();
    await waitFor("the pictures", async () => (await page.locator(".m.out[data-message] .pic").count()) === 10);
    const sent = (await sentMessages(stack)).slice(before);
    expect(sent.map(({ request }) => request.message)).toMatchObject([{ attachments: { length: 10 } }]);
  });

  it("a held message is held again after a reload, and is sent once by its check", async () => {
    const text = ownText("Come by");
    await openThread("Late Lena", "Is it mended?", 25 * HOUR);
    await composer().fill(text);
    await cut.start(visit);
    await send("Hold to check").click();
    await page.getByText("Not sent: there was no connection.").waitFor();
    await cut.end(visit);
    await page.getByRole("button", { name: "Send again" }).click();
    const sendAs = page.getByRole("button", { name: "Send as Ines Marlow" });
    await sendAs.waitFor();
    await page.reload();
    await sendAs.waitFor();
    expect(await page.getByText("Another message is held here").count()).toBe(0);
    expect(await bubbles(page, text).count()).toBe(1);
    await cut.start(visit);
    await sendAs.click();
    await page.getByText("The check did not work. Try again.").waitFor();
    await cut.end(visit);
    expect(await sentMessages(stack, text)).toEqual([]);
    await sendAs.click();
    await bubbles(page, text).getByText("You, as a person").waitFor({ timeout: 60_000 });
    expect(await bubbles(page, text).count()).toBe(1);
    expect(await sentMessages(stack, text)).toHaveLength(1);
  });

  it("a window that closes in the meantime changes the composer and not the text", async () => {
    const text = ownText("Yes, we are");
    await openThread("Closing Chloe", "Anyone there?", 24 * HOUR - 15_000);
    await composer().fill(text);
    await cut.start(visit);
    await page.getByText("You can still write").waitFor({ timeout: 30_000 });
    await cut.end(visit);
    expect(await composer().inputValue()).toBe(text);
    await page.reload();
    await send("Hold to check").waitFor();
    await waitFor("the draft", async () => (await composer().inputValue()) === text);
    expect(await sentMessages(stack, text)).toEqual([]);
  });

  it("a Done that failed says so, and is made by another press", async () => {
    await openThread("Thankful Theo", "Thanks!");
    const place = page.url();
    await cut.start(visit);
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator(".notice.problem").waitFor();
    await cut.end(visit);
    await page.reload();
    const done = page.getByRole("button", { name: "Done" });
    await done.waitFor();
    if (!arrives) {
      await done.click();
      // Done opens the next conversation.
      await page.waitForURL((url) => url.href !== place);
      await page.goto(place);
    }
    await waitFor("the mark", async () => (await done.getAttribute("aria-pressed")) === "true");
  });

  it("an erasure that failed says so in its dialog, and is made by another press", async () => {
    const { conversations } = await openClient(stack).conversations.list({});
    const id = conversations.find(({ participant_name }) => participant_name === "Thankful Theo")?.id ?? "";
    const openDialog = async () => {
      const erase = button("Erase this person’s data");
      if (!(await erase.isVisible())) await page.getByRole("button", { name: "About this person" }).click();
      await erase.click();
      await page.getByRole("textbox", { name: /^Type .+ to confirm$/ }).fill("thankful.theo");
    };
    await openDialog();
    await page.reload();
    await bubbles(page, "Thanks!").waitFor();
    await openDialog();
    const dialog = page.getByRole("dialog", { name: "Erase this person’s data" });
    await cut.start(visit);
    await dialog.getByRole("button", { name: "Erase", exact: true }).click();
    await dialog.locator(".problem:not(:empty)").waitFor();
    await cut.end(visit);
    await dialog.getByRole("button", { name: "Erase", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await rowOf(page, "Thankful Theo").waitFor({ state: "detached" });
    expect((await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}`)).status).toBe(404);
  });

  it("no interruption caused a complaint of the policy or a request to another origin", () => {
    expect(visit.complaints).toEqual([]);
    expect(visit.foreignUrls).toEqual([]);
  });
});
