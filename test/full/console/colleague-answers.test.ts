import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { field, ownBubbles } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// Two people do not answer the same message without knowing it.

const REPLY = "POST /v1/messages/reply";
const browser = openedBrowser();

async function writing() {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  const page = await world.visit(anna);
  await field(page).fill("We open at nine");
  return { world, anna, ole, page };
}

it("a colleague's new answer stops a send once, and the second press sends", async () => {
  const { world, anna, page } = await writing();
  world.inbox.write(anna, "ben", { text: "At nine" });
  await ownBubbles(page, "At nine").waitFor();
  await page.keyboard.press("Control+Enter");
  const alert = page.locator(".colleague");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/^Ben answered at \d.*At nine/s);
  expect(world.callsOf(REPLY)).toEqual([]);
  expect(await field(page).inputValue()).toBe("We open at nine");
  await page.getByRole("button", { name: "Send anyway" }).click();
  await ownBubbles(page, "We open at nine").waitFor();
  expect(world.callsOf(REPLY)).toHaveLength(1);
});

it("an answer that came while the connection was lost stops the send after the reconnect", async () => {
  const { world, anna, page } = await writing();
  await world.dropSocket({ refuses: true });
  world.inbox.write(anna, "ben", { text: "At nine" });
  world.acceptSockets();
  await world.reconnected();
  await ownBubbles(page, "At nine").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".colleague", { hasText: "Ben answered at" }).waitFor();
  expect(world.callsOf(REPLY)).toEqual([]);
});

it("an answer from the platform's app stops a send, too, and another answer stops it again", async () => {
  const { world, anna, page } = await writing();
  world.inbox.write(anna, "app", { text: "At nine" });
  await ownBubbles(page, "At nine").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".colleague", { hasText: "Instagram answered at" }).waitFor();
  world.inbox.write(anna, "ben", { text: "Or at ten" });
  await ownBubbles(page, "Or at ten").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".colleague", { hasText: "Ben answered at" }).waitFor();
  expect(world.callsOf(REPLY)).toEqual([]);
});

it("a send is stopped by no answer to others, no earlier one and none of one's own", async () => {
  const { world, anna, ole, page } = await writing();
  world.inbox.write(ole, "ben", { text: "To Ole" });
  world.inbox.write(anna, "ben", { text: "Earlier", at: Date.now() - 60_000 });
  world.inbox.write(anna, "me", { text: "From my phone" });
  await ownBubbles(page, "From my phone").waitFor();
  await page.keyboard.press("Control+Enter");
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(await page.locator(".colleague").count()).toBe(0);
  expect(world.complaints).toEqual([]);
});
