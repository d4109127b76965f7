import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { attachPicture, field, ownBubbles, rowOf, sendText } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { eventually } from "./support/admin-page.ts";

// Two people do not answer the same message without knowing it.

const REPLY = "POST /v1/messages/reply";
const browser = openedBrowser();

async function writing() {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const page = await world.visit(anna);
  await field(page).fill("We open at nine");
  return { world, anna, page };
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
  await eventually(() => world.callsOf(REPLY)).toHaveLength(1);
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

it("an answer of a lost connection stops a message that one starts after it, also one of files alone", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const page = await world.visit(anna);
  await world.dropSocket({ refuses: true });
  world.inbox.write(anna, "ben", { text: "At nine" });
  await attachPicture(page);
  await page.locator(".tray li", { hasText: "Ready" }).waitFor();
  world.acceptSockets();
  await world.reconnected();
  await ownBubbles(page, "At nine").waitFor();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.locator(".colleague", { hasText: "Ben answered at" }).waitFor();
  expect(world.callsOf(REPLY)).toEqual([]);
  await page.getByRole("button", { name: "Send anyway" }).click();
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(world.callsOf(REPLY)[0]?.body).toMatchObject({ attachments: [{ type: "image" }] });
});

it("an answer stops the second press for a held message, and one that was refused, once", async () => {
  const world = await ConsoleWorld.open(browser);
  const [anna, ole] = [world.inbox.add("Anna Berg", [60 * 30]), world.inbox.add("Ole Dahl", [30])];
  const page = await world.visit(anna);
  const sent = (id: string) => world.inbox.get(id).messages.filter(({ text }) => text.startsWith("Ours"));
  await sendText(page, "Ours, a day later");
  const card = page.getByRole("button", { name: "Send as Mara" });
  await card.waitFor();
  world.inbox.write(anna, "ben", { text: "At nine" });
  await ownBubbles(page, "At nine").waitFor();
  await card.click();
  await page.locator(".check-card .colleague", { hasText: "Ben answered at" }).waitFor();
  expect(sent(anna)).toEqual([]);
  await card.click();
  await waitFor("the message", () => sent(anna).length === 1);

  await rowOf(page, "Ole Dahl").click();
  await page.locator(".thread-head h2", { hasText: "Ole Dahl" }).waitFor();
  world.model.sending.platformRefusal = "It is refused.";
  await sendText(page, "Ours again");
  const again = page.locator('[data-send="failed"]').getByRole("button", { name: "Send again" });
  await again.waitFor();
  world.inbox.write(ole, "ben", { text: "At ten" });
  await ownBubbles(page, "At ten").waitFor();
  await again.click();
  await page.locator('[data-send="failed"] .colleague', { hasText: "Ben answered at" }).waitFor();
  expect(world.callsOf(REPLY)).toHaveLength(1);
  await again.click();
  await waitFor("the message", () => sent(ole).length === 1);
  expect(world.complaints).toEqual([]);
});

it("a send is stopped by no answer to others, no earlier one and none of one's own", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  world.inbox.write(anna, "ben", { text: "Earlier" });
  const page = await world.visit(anna);
  await ownBubbles(page, "Earlier").waitFor();
  await field(page).fill("We open at nine");
  world.inbox.write(ole, "ben", { text: "To Ole" });
  world.inbox.write(anna, "me", { text: "From my phone" });
  await ownBubbles(page, "From my phone").waitFor();
  await page.keyboard.press("Control+Enter");
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(await page.locator(".colleague").count()).toBe(0);
  expect(world.complaints).toEqual([]);
});
