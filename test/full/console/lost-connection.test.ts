import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { rowOf } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// No silence: a lost connection and new messages are noticed.

const browser = openedBrowser();

/** Counts tones and notifications, and lets the page look hidden. */
const SIGNS = `
  window.signs = { tones: 0, notifications: [] };
  const Oscillator = OscillatorNode.prototype;
  const start = Oscillator.start;
  Oscillator.start = function (...args) { signs.tones += 1; return start.apply(this, args); };
  window.Notification = class extends EventTarget {
    static permission = "granted";
    static async requestPermission() { return "granted"; }
    constructor(title, { body }) { super(); signs.notifications.push(title + ": " + body); }
    close() {}
  };
  let hidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  window.hide = () => { hidden = true; document.dispatchEvent(new Event("visibilitychange")); };
`;

async function openInbox() {
  const world = await ConsoleWorld.open(browser);
  await world.context.addInitScript(SIGNS);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  world.inbox.add("Ole Dahl", [300]);
  return { world, anna, page: await world.visit() };
}

const signs = (page: Page) => page.evaluate<{ tones: number; notifications: string[] }>("signs");

/** Presses an item of the menu of the profile. */
async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByRole("button", { name: item }).click();
  await page.keyboard.press("Escape");
}

it("a connection that is lost for three seconds is said, and the words go away by themselves", async () => {
  const { world, anna, page } = await openInbox();
  const strip = page.locator(".strip", { hasText: "No live connection since" });
  const lostAt = performance.now();
  await world.dropSocket({ refuses: true });
  await wait(2_000);
  if (performance.now() - lostAt < 2_900) expect(await strip.count()).toBe(0);
  await strip.waitFor({ timeout: 3_000 });
  world.inbox.write(anna, "person", { text: "Is anybody there?" });
  world.acceptSockets();
  await world.reconnected();
  await strip.waitFor({ state: "detached" });
  await rowOf(page, "Is anybody there?").waitFor();
});

it("a connection that is back at once is not worth a word", async () => {
  const { world, page } = await openInbox();
  await page.evaluate(`new MutationObserver(() => {
    if (document.querySelector(".strip")) window.wasShown = true;
  }).observe(document.body, { childList: true, subtree: true })`);
  await world.dropSocket();
  await world.reconnected();
  await wait(3_500);
  expect(await page.evaluate("window.wasShown")).toBeUndefined();
});

it("an offline browser is said, too", async () => {
  const { world, page } = await openInbox();
  await world.context.setOffline(true);
  await page.locator(".strip", { hasText: "You are offline since" }).waitFor();
  await world.context.setOffline(false);
  await page.locator(".strip").waitFor({ state: "detached" });
});

it("the title counts who waits for a reply and names no one", async () => {
  const { world, anna, page } = await openInbox();
  const titled = (title: string) => waitFor(`the title ${title}`, async () => (await page.title()) === title);
  await titled("(2) Inbox – Parley");
  world.inbox.write(world.inbox.add("New Comer", [700]), "person");
  await titled("(3) Inbox – Parley");
  for (const id of world.inbox.all.keys()) world.inbox.write(id, "ben");
  await titled("Inbox – Parley");
  world.inbox.write(anna, "person");
  await titled("(1) Inbox – Parley");
});

it("a new message gives a tone and a notification only to those who switched them on", async () => {
  const { world, anna, page } = await openInbox();
  world.inbox.write(anna, "person", { text: "Silent" });
  await rowOf(page, "Silent").waitFor();
  expect(await signs(page)).toEqual({ tones: 0, notifications: [] });
  await choose(page, "Sound for new messages");
  await choose(page, "Desktop notifications");
  world.inbox.write(anna, "person", { text: "Audible" });
  await waitFor("the tone", async () => (await signs(page)).tones === 1);
  const first = "Parley: Notifications are on. They appear while you do not look at the console.";
  expect((await signs(page)).notifications).toEqual([first]);
  world.inbox.write(anna, "ben", { text: "An answer" });
  await page.mouse.move(1_000, 400);
  await rowOf(page, "Anna Berg").waitFor({ state: "detached" });
  await page.evaluate("hide()");
  world.inbox.write(anna, "person", { text: "A private matter" });
  await waitFor("the notification", async () => (await signs(page)).notifications.length === 2);
  expect((await signs(page)).notifications).toEqual([first, "Parley: New message"]);
  expect(world.complaints).toEqual([]);
});
