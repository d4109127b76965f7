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
  window.Notification = class extends EventTarget {
    static permission = "granted";
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

it("every message shows the notification again, and a press opens the conversation of the newest one", async () => {
  const { world, anna, ole, page } = await openInbox({ notifications: true });
  const count = () => page.evaluate<number>("shown.length");
  await page.evaluate("look(true)");
  world.inbox.write(anna, "person", { text: "A private matter" });
  await waitFor("the first notification", async () => (await count()) === 1);
  world.inbox.write(ole, "person", { text: "Another one" });
  await waitFor("the second notification", async () => (await count()) === 2);
  const options = await page.evaluate<object[]>("shown.map(({ options }) => options)");
  const option = { body: "New message", tag: "parley-message", renotify: true };
  expect(options).toEqual([option, option]);
  await page.evaluate("look(false)");
  await page.evaluate('shown[1].dispatchEvent(new Event("click"))');
  await page.locator(".thread-head h2", { hasText: "Ole Dahl" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(inboxPath("acme", ole));
  expect(await page.evaluate("shown[1].isClosed")).toBe(true);
  expect(world.complaints).toEqual([]);
});

it("a sound that the browser has suspended is resumed for the tone", async () => {
  const { world, anna, page } = await openInbox({ sound: true });
  world.inbox.write(anna, "person", { text: "Audible" });
  await rowOf(page, "Audible").waitFor();
  await waitFor("the sound", async () => (await page.evaluate<number>("resumed")) > 0);
  expect(world.complaints).toEqual([]);
});
