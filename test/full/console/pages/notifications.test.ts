import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inboxPath } from "../../../../web/console/paths.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { rowOf } from "../../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";

const browser = openedBrowser();

/** Notes notifications and the sound's state, and lets the page look hidden. */
const SIGNS = `
  window.shown = [];
  window.asked = 0;
  window.Notification = class extends EventTarget {
    static permission = "granted";
    static answer = "granted";
    static async requestPermission() { asked += 1; return (this.permission = this.answer); }
    constructor(title, options) { super(); this.text = title + ": " + options.body; this.options = options; shown.push(this); }
    close() { this.isClosed = true; }
  };
  let hidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  window.look = (isHidden) => { hidden = isHidden; document.dispatchEvent(new Event("visibilitychange")); };
  window.resumed = 0;
  Object.defineProperty(AudioContext.prototype, "state", { get: () => "suspended" });
  const resume = AudioContext.prototype.resume;
  AudioContext.prototype.resume = function () { resumed += 1; return resume.call(this); };
`;

async function openInbox(preferences: object) {
  const world = await ConsoleWorld.open(browser);
  await world.context.addInitScript(SIGNS);
  await world.context.addInitScript(
    `localStorage.setItem("parley.preferences", ${JSON.stringify(JSON.stringify(preferences))})`,
  );
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  return { world, anna, ole, page: await world.visit() };
}

const shownTexts = (page: Page) => page.evaluate<string[]>("shown.map(({ text }) => text)");
/** What works beside the page is fetched after it. */
const signsWork = (page: Page) =>
  waitFor("the part that gives signs", () =>
    page.evaluate<boolean>(
      "navigator.locks.query().then(({ held }) => held.some(({ name }) => name.startsWith('parley.signs')))",
    ),
  );

it("each conversation has its own notification, without names and texts, and a press opens it", async () => {
  const { world, anna, ole, page } = await openInbox({ notifications: true });
  await signsWork(page);
  await page.evaluate("look(true)");
  world.inbox.write(anna, "person", { text: "A private matter" });
  await waitFor("the first notification", async () => (await shownTexts(page)).length === 1);
  world.inbox.write(ole, "person", { text: "Another one" });
  world.inbox.write(anna, "person", { text: "And more" });
  await waitFor("the others", async () => (await shownTexts(page)).length === 3);
  const options = await page.evaluate<object[]>("shown.map(({ options }) => options)");
  expect(options).toEqual([
    { body: "New message", tag: `parley ${anna}`, renotify: true },
    { body: "New message", tag: `parley ${ole}`, renotify: true },
    { body: "2 new messages", tag: `parley ${anna}`, renotify: false },
  ]);
  await page.evaluate('shown[1].dispatchEvent(new Event("click"))');
  await page.locator(".thread-head h2", { hasText: "Ole Dahl" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(inboxPath("acme", ole));
  expect(await page.evaluate("shown[1].isClosed")).toBe(true);
  await page.evaluate("look(false)");
  expect(await page.evaluate("shown[2].isClosed")).toBe(true);
  expect(world.complaints).toEqual([]);
});

it("a person who wants them reads names and texts", async () => {
  const { world, anna, page } = await openInbox({ notifications: true, notificationTexts: true });
  await signsWork(page);
  await page.evaluate("look(true)");
  world.inbox.write(anna, "person", { text: "Is it \u202eready?" });
  await waitFor("the notification", async () => (await shownTexts(page)).length === 1);
  expect(await shownTexts(page)).toEqual(["Anna Berg: Is it ready?"]);
});

it("the tab that was looked at last notifies for all, and no tab does while one is looked at", async () => {
  const { world, anna, page: first } = await openInbox({ notifications: true });
  await signsWork(first);
  const second = await world.visit();
  await rowOf(second, "Anna Berg").waitFor();
  const held =
    "navigator.locks.query().then(({ held }) => held.filter(({ name }) => name.startsWith('parley.looking')).length)";
  const pendingTurns =
    "navigator.locks.query().then(({ pending }) => pending.filter(({ name }) => name.startsWith('parley.signs')).length)";
  await waitFor("both tabs", async () => (await first.evaluate<number>(held)) === 2);
  for (const page of [first, second]) await page.evaluate("look(true)");
  world.inbox.write(anna, "person", { text: "One" });
  await waitFor("the notification", async () => (await shownTexts(second)).length === 1);
  await first.evaluate("look(false)");
  await waitFor("its end", () => second.evaluate<boolean>("shown[0].isClosed === true"));
  world.inbox.write(anna, "person", { text: "Two" });
  await rowOf(first, "Two").waitFor();
  await rowOf(second, "Two").waitFor();
  await first.evaluate("look(true)");
  world.inbox.write(anna, "person", { text: "Three" });
  await waitFor("the next notification", async () => (await shownTexts(first)).length === 1);
  await rowOf(second, "Three").waitFor();
  expect(await shownTexts(second)).toHaveLength(1);
  await first.close();
  // The browser frees the locks of a page that was closed in its own time.
  await waitFor("its turn", async () => (await second.evaluate<number>(pendingTurns)) === 0);
  world.inbox.write(anna, "person", { text: "Four" });
  await waitFor("that of the other tab", async () => (await shownTexts(second)).length === 2);
});

/** Opens the menu at the initials and presses its entry for notifications. */
async function pressNotifications(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByRole("button", { name: /^Desktop notifications/ }).click();
}
const menuEntry = async (page: Page) => {
  await page.getByRole("button", { name: "Profile" }).click();
  const text = await page.getByRole("button", { name: /^Desktop notifications/ }).innerText();
  await page.keyboard.press("Escape");
  return text.trim();
};

it("notifications are asked for by a press alone, show that they work, and then offer texts", async () => {
  const { page } = await openInbox({});
  await page.evaluate("Notification.permission = 'default'");
  expect(await page.evaluate("asked")).toBe(0);
  await pressNotifications(page);
  await waitFor("the first one", async () => (await shownTexts(page)).length === 1);
  expect(await shownTexts(page)).toEqual([
    "Parley: Notifications are on. They appear while you do not look at the console.",
  ]);
  expect(await page.evaluate("asked")).toBe(1);
  expect(await menuEntry(page)).toBe("Desktop notifications: on");
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByRole("button", { name: "Names and texts in notifications: off" }).click();
  const stored = await page.evaluate<string>("localStorage.getItem('parley.preferences')");
  expect(JSON.parse(stored)).toMatchObject({ notifications: true, notificationTexts: true, sound: false });
  await pressNotifications(page);
  expect(await menuEntry(page)).toBe("Desktop notifications: off");
});

it.each([
  ["refused", "Notification.permission = 'default'; Notification.answer = 'denied'", /blocks notifications/, "blocked"],
  [
    "closed without an answer",
    "Notification.permission = Notification.answer = 'default'",
    /closed without an answer/,
    "off",
  ],
  ["impossible in this browser", "delete window.Notification", /shows no notifications of this page/, "not supported"],
  [
    "taken from service workers alone",
    "Notification = Object.assign(function () { throw new TypeError('Illegal constructor.'); }, { permission: 'default', requestPermission: async () => (Notification.permission = 'granted') })",
    /shows no notifications of this page/,
    "off",
  ],
])("notifications that are %s have words, and stay off", async (_, script, words, state) => {
  const { world, page } = await openInbox({});
  await page.evaluate(`${script}; undefined`);
  await pressNotifications(page);
  await page.locator(".notice", { hasText: words }).waitFor();
  expect(await menuEntry(page)).toBe(`Desktop notifications: ${state}`);
  const stored = await page.evaluate<string>("localStorage.getItem('parley.preferences')");
  expect(JSON.parse(stored)).toMatchObject({ notifications: false });
  expect(world.complaints).toEqual([]);
});

it("a sound that the browser has suspended is resumed for the tone", async () => {
  const { world, anna, page } = await openInbox({ sound: true });
  await signsWork(page);
  world.inbox.write(anna, "person", { text: "Audible" });
  await rowOf(page, "Audible").waitFor();
  await waitFor("the sound", async () => (await page.evaluate<number>("resumed")) > 0);
  expect(world.complaints).toEqual([]);
});
