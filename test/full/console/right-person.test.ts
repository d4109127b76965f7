import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { attachPicture, field, openRow, ownBubbles, sendText } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// An answer never reaches another person than the one it was written to.

const REPLY = "POST /v1/messages/reply";
const browser = openedBrowser();

async function twoPeople() {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  return { world, anna, ole, page: await world.visit(anna) };
}

it("a text that is still being sent stays with its person when another conversation is opened", async () => {
  const { world, anna, ole, page } = await twoPeople();
  const release = world.keepBack(REPLY);
  await sendText(page, "Only for Anna");
  await ownBubbles(page, "Only for Anna").waitFor();
  await openRow(page, "Ole Dahl");
  await field(page).fill("Only for Ole");
  release();
  await page.keyboard.press("Control+Enter");
  await ownBubbles(page, "Only for Ole").waitFor();
  expect(await ownBubbles(page, "Only for Anna").count()).toBe(0);
  await waitFor("both replies", () => world.callsOf(REPLY).length === 2);
  expect(world.callsOf(REPLY).map(({ body }) => body)).toEqual([
    { conversation_id: anna, text: "Only for Anna" },
    { conversation_id: ole, text: "Only for Ole" },
  ]);
});

it("a text that was just typed stays in its conversation when another one is opened at once", async () => {
  const { world, ole, page } = await twoPeople();
  await field(page).pressSequentially("For Anna");
  await openRow(page, "Ole Dahl");
  expect(await field(page).inputValue()).toBe("");
  await sendText(page, "For Ole");
  await ownBubbles(page, "For Ole").waitFor();
  await openRow(page, "Anna Berg");
  expect(await field(page).inputValue()).toBe("For Anna");
  expect(world.callsOf(REPLY).map(({ body }) => body)).toEqual([{ conversation_id: ole, text: "For Ole" }]);
});

it("a message to quote belongs to its conversation", async () => {
  const { world, ole, page } = await twoPeople();
  await page.locator(".m.in").last().hover();
  await page.locator(".m.in .answer").last().click();
  await page.locator(".reply-line").waitFor();
  await openRow(page, "Ole Dahl");
  expect(await page.locator(".reply-line").count()).toBe(0);
  await sendText(page, "For Ole");
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(world.callsOf(REPLY)[0]?.body).toEqual({ conversation_id: ole, text: "For Ole" });
});

it("a message to quote waits in its conversation with the text, and goes with it", async () => {
  const { world, anna, page } = await twoPeople();
  await page.locator(".m.in").last().hover();
  await page.locator(".m.in .answer").last().click();
  await field(page).fill("To this one");
  await openRow(page, "Ole Dahl");
  await openRow(page, "Anna Berg");
  await page.locator(".reply-line", { hasText: "Anna Berg writes 2" }).waitFor();
  world.model.sending.platformRefusal = "It is refused.";
  await field(page).press("Control+Enter");
  await page.locator('[data-send="failed"]').getByRole("button", { name: "Edit" }).click();
  await page.locator(".reply-line", { hasText: "Anna Berg writes 2" }).waitFor();
  await page.keyboard.press("Control+Enter");
  await waitFor("both calls", () => world.callsOf(REPLY).length === 2);
  const body = { conversation_id: anna, text: "To this one", reply_to: "m_anna.berg_1" };
  expect(world.callsOf(REPLY).map((call) => call.body)).toEqual([body, body]);
});

it("a file whose upload ends after the switch to another conversation is sent only in its own", async () => {
  const { world, anna, ole, page } = await twoPeople();
  const release = world.keepBack("POST /storage");
  await attachPicture(page);
  await page.locator(".tray").waitFor();
  await openRow(page, "Ole Dahl");
  expect(await page.locator(".tray > *").count()).toBe(0);
  release();
  await waitFor("the end of the upload", () => world.callsOf("POST /v1/attachments")[0]);
  await sendText(page, "For Ole");
  await ownBubbles(page, "For Ole").waitFor();
  await openRow(page, "Anna Berg");
  await page.getByRole("button", { name: /^Send/ }).and(page.locator("[aria-disabled=false]")).click();
  await waitFor("both replies", () => world.callsOf(REPLY).length === 2);
  expect(world.callsOf(REPLY).map(({ body }) => body)).toEqual([
    { conversation_id: ole, text: "For Ole" },
    { conversation_id: anna, attachments: [{ type: "image", attachment_id: expect.any(String) }] },
  ]);
});

it("a text that follows its files goes to the person whose conversation was left in between", async () => {
  const { world, anna, page } = await twoPeople();
  await attachPicture(page);
  await field(page).fill("The cloth");
  const release = world.keepBack(REPLY);
  await page.getByRole("button", { name: /^Send/ }).and(page.locator("[aria-disabled=false]")).click();
  await waitFor("the reply with the file", () => world.callsOf(REPLY)[0]);
  await openRow(page, "Ole Dahl");
  release();
  await waitFor("the reply with the text", () => world.callsOf(REPLY)[1]);
  expect(world.callsOf(REPLY)[1]?.body).toEqual({ conversation_id: anna, text: "The cloth" });
  expect(await field(page).inputValue()).toBe("");
  expect(world.complaints).toEqual([]);
});
