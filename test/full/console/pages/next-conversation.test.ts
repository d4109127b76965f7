import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { field, ownBubbles, rowOf } from "../../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";

const REPLY = "POST /v1/messages/reply";
const DONE = "PATCH /v1/conversations/{id}";
const browser = openedBrowser();

/** Anna's window closes first, then Ole's, then Pia's. */
async function threePeople(script = "") {
  const world = await ConsoleWorld.open(browser);
  if (script !== "") await world.context.addInitScript(script);
  const anna = world.inbox.add("Anna Berg", [900]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  const pia = world.inbox.add("Pia Falk", [10]);
  return { world, anna, ole, pia, page: await world.visit(anna) };
}

const isOpen = (page: Page, name: string) => page.locator(".thread-head h2", { hasText: name }).waitFor();
const hasText = (page: Page) => page.evaluate<boolean>('document.activeElement.matches("textarea")');

it("Ctrl+Shift+Enter sends and goes on writing to the next person, without a press in between", async () => {
  const { world, anna, ole, page } = await threePeople();
  await field(page).fill("For Anna");
  await page.keyboard.press("Control+Shift+Enter");
  await isOpen(page, "Ole Dahl");
  await waitFor("the focus in the text", () => hasText(page));
  await page.keyboard.type("For Ole");
  await page.keyboard.press("Control+Shift+Enter");
  await isOpen(page, "Pia Falk");
  await waitFor("both replies", () => world.callsOf(REPLY).length === 2);
  expect(world.callsOf(REPLY).map(({ body }) => body)).toEqual([
    { conversation_id: anna, text: "For Anna" },
    { conversation_id: ole, text: "For Ole" },
  ]);
  expect(await field(page).inputValue()).toBe("");
  expect(world.complaints).toEqual([]);
});

it("a message that was not sent says so in the next conversation, and links to it", async () => {
  const { world, page } = await threePeople();
  const release = world.keepBack(REPLY);
  world.fail(REPLY, { status: 502, code: "send_failed", detail: "No." });
  await field(page).fill("For Anna");
  await page.keyboard.press("Control+Shift+Enter");
  await isOpen(page, "Ole Dahl");
  release();
  const notice = page.locator(".notice.problem", { hasText: "The message to Anna Berg was not sent." });
  await notice.waitFor();
  await page.locator(".thread-head .done").click();
  await page.locator(".notice", { hasText: "Marked as done" }).waitFor();
  await notice.getByRole("button", { name: "Open" }).click();
  await isOpen(page, "Anna Berg");
  await page.locator('[data-send="failed"]', { hasText: "For Anna" }).waitFor();
  expect(await notice.count()).toBe(0);
  expect(world.complaints).toEqual([]);
});

it("a message that is held stays open for its second press", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [60 * 30]);
  world.inbox.add("Ole Dahl", [300]);
  const page = await world.visit(anna);
  await field(page).fill("A day later");
  await page.keyboard.press("Control+Shift+Enter");
  await page.getByRole("button", { name: "Send as Mara" }).waitFor();
  await isOpen(page, "Anna Berg");
});

it("Done opens the next conversation, and z undoes one after the other and opens each again", async () => {
  const { world, anna, ole, page } = await threePeople();
  await page.locator(".thread").focus();
  await page.keyboard.press("e");
  await isOpen(page, "Ole Dahl");
  await page.keyboard.press("e");
  await isOpen(page, "Pia Falk");
  await rowOf(page, "Anna Berg").waitFor({ state: "detached" });
  for (const [name, calls] of [
    ["Ole Dahl", 3],
    ["Anna Berg", 4],
  ] as const) {
    await page.keyboard.press("z");
    await isOpen(page, name);
    await rowOf(page, name).waitFor();
    await waitFor("the call", () => world.callsOf(DONE).length === calls);
  }
  await page.keyboard.press("z");
  expect(world.callsOf(DONE).map(({ body }) => body.done)).toEqual([true, true, false, false]);
  expect([anna, ole].map((id) => world.inbox.conversation(id).needs_reply)).toEqual([true, true]);
  expect(world.complaints).toEqual([]);
});

it("n opens the next conversation that needs a reply, also beside all others, and the first after the last", async () => {
  const { world, ole, page } = await threePeople();
  world.inbox.write(ole, "ben", { text: "Solved" });
  await ownBubbles(page, "Solved").count();
  await page
    .getByRole("tab", { name: /^All/ })
    .or(page.getByRole("button", { name: /^All/ }))
    .first()
    .click();
  await page.locator(".thread").focus();
  await page.keyboard.press("n");
  await isOpen(page, "Pia Falk");
  await page.keyboard.press("n");
  await isOpen(page, "Anna Berg");
});

it.each([
  ["MacIntel", "⌘"],
  ["Linux x86_64", "Ctrl"],
])("the page shows on %s its modifier %s", async (platform, modifier) => {
  const { page } = await threePeople(
    `Object.defineProperty(navigator, "platform", { get: () => ${JSON.stringify(platform)} })`,
  );
  expect(await page.getByRole("button", { name: /^Send/ }).innerText()).toContain(modifier);
  await page.locator(".thread").focus();
  await page.keyboard.press("?");
  const words = await page.locator(".key-list").innerText();
  expect([words.includes("⌘"), words.includes("Ctrl")]).toEqual([modifier === "⌘", modifier === "Ctrl"]);
});
