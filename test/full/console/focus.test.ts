import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { conversationId, type SmallWorld } from "./support/small-world.ts";
import { openFilledWorld, withPictures } from "./support/states.ts";

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const wide = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 } };

const hasFocus = (world: SmallWorld, selector: string) =>
  expect
    .poll(() => world.page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`))
    .toBe(true);

it("the focus goes into a thread that opens on a phone, and back to its row", async () => {
  const world = await openFilledWorld(browser, server, phone);
  await world.open();
  const row = world.page.locator(".row", { hasText: "Person 993" });
  await row.click();
  await hasFocus(world, ".thread");
  await world.page.getByRole("link", { name: "Back to the list" }).click();
  await hasFocus(world, ".row[data-conversation$='#993']");
});

it("the focus stays on the row of a thread that opens beside the list", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.open();
  await world.page.locator(".row", { hasText: "Person 993" }).click();
  await world.page.locator("textarea").waitFor();
  await hasFocus(world, ".row[data-conversation$='#993']");
});

/** Erases the person of the open thread. */
async function erasePerson(world: SmallWorld): Promise<void> {
  await world.page.getByRole("button", { name: "Erase this person" }).click();
  await world.page.getByLabel("Type user993 to confirm").fill("user993");
  await world.page.keyboard.press("Enter");
  await world.page.getByText("Erased: 2 messages.").waitFor();
}

it("the focus is in the list after an erasure", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await erasePerson(world);
  await hasFocus(world, ".list, .list *");
});

it("the focus is in the field after a message was sent by its button", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.locator("textarea").fill("Yes");
  await world.page.getByRole("button", { name: /^Send/ }).click();
  await hasFocus(world, "textarea");
});

it("the focus is in the field after a message is sent again or edited, and on one that is checked again", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  world.failures.set("POST /v1/messages/reply", { status: 409, code: "window_closed" });
  await world.page.locator("textarea").fill("Yes");
  await world.page.keyboard.press("Control+Enter");
  await world.page.getByRole("button", { name: "Send again" }).click();
  await hasFocus(world, "textarea");
  world.failures.set("POST /v1/messages/reply", { status: 500, code: "internal_error" });
  await world.page.getByRole("button", { name: "Send again" }).click();
  await world.page.getByRole("button", { name: "Check again" }).click();
  await hasFocus(world, "[data-send]");
  world.failures.set("POST /v1/messages/reply", { status: 409, code: "window_closed" });
  await world.page.getByRole("button", { name: "Check again" }).click();
  await world.page.getByRole("button", { name: "Edit" }).click();
  await hasFocus(world, "textarea");
  expect(await world.page.locator("textarea").inputValue()).toBe("Yes");
});

it.each([
  ["the keys", "Keys and commands", "button[title^='Keys']"],
  ["what is known about an account", "Manage Acme", ".account-list button"],
])("the focus goes into %s, and Escape gives it back", async (_, name, opener) => {
  const world = await openFilledWorld(browser, server, wide);
  await world.open("/app/acme/accounts");
  await world.page.getByRole("button", { name }).click();
  await hasFocus(world, "dialog[open], dialog[open] *");
  await world.page.keyboard.press("Escape");
  await hasFocus(world, opener);
});

it("the sheet about a person takes the focus and gives it back", async () => {
  const world = await openFilledWorld(browser, server, phone);
  await world.openThread("993");
  await world.page.getByRole("button", { name: "About this person" }).click();
  await hasFocus(world, ".sheet *");
  await world.page.keyboard.press("Escape");
  await hasFocus(world, "button[aria-label='About this person']");
  await world.page.locator(".sheet").waitFor({ state: "detached" });
});

it("the menu of the profile takes the focus and gives it back", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.open();
  await world.page.getByRole("button", { name: "Profile" }).click();
  await hasFocus(world, ".menu *");
  await world.page.keyboard.press("Escape");
  await hasFocus(world, "button.me");
});

it.each(["Escape", "the button"])(
  "a picture over the page takes the focus, and %s gives it back to the picture",
  async (way) => {
    const world = await openFilledWorld(browser, server, wide);
    const { page } = world;
    await withPictures(world);
    await world.openThread("993");
    await page.getByRole("button", { name: "Picture" }).last().press("Enter");
    await hasFocus(world, ".lightbox[open] *");
    await page.keyboard.press("ArrowRight");
    if (way === "Escape") await page.keyboard.press("Escape");
    else await page.getByRole("button", { name: "Close" }).press("Enter");
    await page.locator(".lightbox").waitFor({ state: "detached" });
    await hasFocus(world, ".pic:last-child");
  },
);

it("the focus is in the list after a picture over the page went away with its message", async () => {
  const world = await openFilledWorld(browser, server, wide);
  const { page } = world;
  await withPictures(world);
  await world.openThread("993");
  await page.getByText("Live: messages appear at once").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Picture" }).last().press("Enter");
  await hasFocus(world, ".lightbox[open] *");
  const deleted_at = new Date().toISOString();
  const message = { id: "993-5", conversation_id: conversationId("993"), deleted_at };
  world.push({ id: "evt_1", type: "message.deleted", tenant_id: "acme", created_at: deleted_at, data: { message } });
  await page.locator(".lightbox").waitFor({ state: "detached" });
  await hasFocus(world, ".list");
});

it("the palette takes the focus, and Escape gives it back to the text, which stays", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.locator("textarea").fill("Yes");
  await world.page.keyboard.press("Control+k");
  await hasFocus(world, "dialog[open] input");
  await world.page.keyboard.press("Escape");
  await hasFocus(world, "textarea");
  expect(await world.page.locator("textarea").inputValue()).toBe("Yes");
});

it("the focus goes into the thread of a person who was chosen in the palette on a phone", async () => {
  const world = await openFilledWorld(browser, server, phone);
  await world.open();
  await world.page.locator(".row").first().focus();
  await world.page.keyboard.press("Control+k");
  await world.page.keyboard.type("Person 994");
  await world.page.keyboard.press("Enter");
  await world.page.locator(".rule.closing").waitFor();
  await hasFocus(world, ".thread");
});

it("the focus is in the keys when they were chosen in the palette, and Escape gives it back to the row", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.open();
  await world.page.locator(".row").first().focus();
  await world.page.keyboard.press("Control+k");
  await world.page.keyboard.type("keys and");
  await world.page.keyboard.press("Enter");
  await world.page.locator(".key-list").waitFor();
  await hasFocus(world, "dialog[open] *");
  await world.page.keyboard.press("Escape");
  await hasFocus(world, ".row");
});

it("the dialog of an ended session takes the focus from the text, and gives it back after the new sign-in", async () => {
  const world = await openFilledWorld(browser, server, wide);
  const { page, failures } = world;
  await world.openThread("993");
  await page.locator("textarea").fill("Yes");
  for (const operation of ["GET /console/me", "POST /v1/messages/reply"])
    failures.set(operation, { status: 401, code: "unauthorized" });
  await page.keyboard.press("Control+Enter");
  await hasFocus(world, "dialog[open] *");
  await page.keyboard.press("Escape");
  await hasFocus(world, "dialog[open], dialog[open] *");
  failures.clear();
  await page.getByText("Your session has ended").waitFor({ state: "detached" });
  await hasFocus(world, "textarea");
});

const close = (world: SmallWorld) => world.page.locator(".notice").getByRole("button", { name: "Close" });
const undo = (world: SmallWorld) => world.page.locator(".notice").getByRole("button", { name: "Undo" });

it.each([
  ["closed", close, "click"],
  ["closed by its key", close, "press"],
  ["undone", undo, "click"],
  ["undone by its key", undo, "press"],
] as const)("the focus is back in the text after a notice was %s", async (_, button, way) => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.getByRole("button", { name: /^Done/ }).click();
  await world.page.locator(".notice").waitFor();
  await world.page.locator("textarea").focus();
  if (way === "click") await button(world).click();
  else await button(world).press("Enter");
  await hasFocus(world, "textarea");
});

it("the focus stays where it is when a notice goes away that does not have it", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.getByRole("button", { name: /^Done/ }).click();
  await close(world).focus();
  await world.page.locator("textarea").focus();
  await world.page.locator(".notice").waitFor({ state: "detached", timeout: 9_000 });
  await hasFocus(world, "textarea");
});

it("the focus is in the list after a notice was closed that had it when what was there before is gone", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await erasePerson(world);
  await world.page.evaluate("document.activeElement.blur()");
  await close(world).click();
  await hasFocus(world, ".list, .list *");
});

it("the focus is in the page after the notice of a failed login was closed", async () => {
  const world = await openFilledWorld(browser, server, wide);
  world.accounts = world.accounts.map((account) => ({ ...account, status: "needs_reauth" }));
  world.failures.set("POST /oauth/instagram/start", { status: 500, code: "internal_error" });
  await world.open("/app/acme/accounts");
  await world.page.getByRole("button", { name: "Log in again: Acme" }).click();
  await world.page.locator(".notice.problem").waitFor();
  await world.page.evaluate("document.activeElement.blur()");
  await close(world).click();
  await hasFocus(world, "main");
});

it("the focus is where it was before a notice that had it ended by itself", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.getByRole("button", { name: /^Done/ }).click();
  await world.page.locator(".notice").waitFor();
  await world.page.locator("textarea").focus();
  await close(world).focus();
  await world.page.locator(".notice").waitFor({ state: "detached", timeout: 9_000 });
  await hasFocus(world, "textarea");
});
