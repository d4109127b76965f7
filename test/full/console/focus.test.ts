import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import type { SmallWorld } from "./support/small-world.ts";
import { openFilledWorld } from "./support/states.ts";

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

it("the focus is in the list after an erasure", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await world.openThread("993");
  await world.page.getByRole("button", { name: "Erase this person" }).click();
  await world.page.getByLabel("Type user993 to confirm").fill("user993");
  await world.page.keyboard.press("Enter");
  await world.page.getByText("Erased: 2 messages.").waitFor();
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
  ["the question before an account is disconnected", "Disconnect", ".account-list button"],
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
