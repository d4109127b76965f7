import type { CDPSession, Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { field, ownBubbles, rowOf } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// At 390 pixels by touch: one pane at a time, targets for a thumb, and letters that a method composes.

const TARGET_MIN = 44;
const REPLY = "POST /v1/messages/reply";
const browser = openedBrowser();

async function openPhone() {
  const world = await ConsoleWorld.open(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  world.inbox.add("Ole Dahl", [60 * 30]);
  const closed = world.inbox.add("Ida Lund", [60 * 24 * 8]);
  world.inbox.write(closed, "ben", { at: Date.now() - 24 * 3_600_000 });
  const page = await world.visit();
  return { world, anna, page };
}

/** The shown controls that are smaller than a thumb. A link within a text may be. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("button, a[href], select, textarea, input:not([type=file])")]
    .filter((node) => !node.closest(".bub") && node.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((node) => ({ node, box: node.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && (box.width < ${TARGET_MIN} - 0.5 || box.height < ${TARGET_MIN} - 0.5))
    .map(({ node, box }) => node.outerHTML.slice(0, 120) + " " + Math.round(box.width) + "x" + Math.round(box.height))`);

const isShown = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`document.querySelector("${selector}")?.checkVisibility() ?? false`);

const hasSidewaysScroll = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth > innerWidth");

it("one pane is shown at a time, and the way back shows the list", async () => {
  const { page } = await openPhone();
  expect([await isShown(page, ".list"), await isShown(page, ".thread")]).toEqual([true, false]);
  await rowOf(page, "Anna Berg").tap();
  await page.locator(".thread-head h2", { hasText: "Anna Berg" }).waitFor();
  expect([await isShown(page, ".list"), await isShown(page, ".thread")]).toEqual([false, true]);
  await page.getByRole("link", { name: "Back to the list" }).tap();
  await rowOf(page, "Anna Berg").waitFor();
  expect([await isShown(page, ".list"), await isShown(page, ".thread")]).toEqual([true, false]);
  await rowOf(page, "Anna Berg").tap();
  await page.locator(".thread-head h2", { hasText: "Anna Berg" }).waitFor();
  await page.goBack();
  await rowOf(page, "Anna Berg").waitFor();
});

it("the composer stands at the lower edge, and a message is written and sent by touch", async () => {
  const { world, anna, page } = await openPhone();
  await rowOf(page, "Anna Berg").tap();
  await field(page).tap();
  await page.keyboard.type("On my way");
  const box = await page.locator(".foot").boundingBox();
  expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBeLessThanOrEqual(844);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(740);
  await page.getByRole("button", { name: /^Send/ }).tap();
  await ownBubbles(page, "On my way").waitFor();
  expect(world.callsOf(REPLY).map(({ body }) => body)).toEqual([{ conversation_id: anna, text: "On my way" }]);
});

it.each(["Anna Berg", "Ole Dahl", "Ida Lund"])(
  "every target around %s is at least 44 pixels high and wide",
  async (name) => {
    const { page } = await openPhone();
    expect(await smallTargets(page)).toEqual([]);
    await page.locator(".tabs button", { hasText: "All" }).tap();
    await rowOf(page, name).tap();
    await page.locator(".thread-head h2", { hasText: name }).waitFor();
    await page.locator(".foot").waitFor();
    expect(await smallTargets(page)).toEqual([]);
    expect(await hasSidewaysScroll(page)).toBe(false);
    await page.getByRole("button", { name: "About this person" }).tap();
    await page.getByRole("button", { name: "Erase this person’s data" }).waitFor();
    expect(await smallTargets(page)).toEqual([]);
    expect(await hasSidewaysScroll(page)).toBe(false);
  },
);

/** Enter as a browser reports it to a page while a method of input uses it. */
async function composedEnter(cdp: CDPSession, modifiers: number): Promise<void> {
  const key = { key: "Process", code: "Enter", windowsVirtualKeyCode: 229, modifiers };
  await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
}

it("Enter never sends while a method of input composes letters, with Ctrl or without", async () => {
  const { world, page } = await openPhone();
  await rowOf(page, "Anna Berg").tap();
  await field(page).tap();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  const CTRL = 2;
  for (const modifiers of [0, CTRL]) await composedEnter(cdp, modifiers);
  // As Chromium and Safari report it: the letters are composed, or the code of the key is 229.
  await page.evaluate(`for (const flags of [{ isComposing: true }, { isComposing: false, keyCode: 229 }]) {
    for (const ctrlKey of [false, true]) {
      document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {
        key: "Enter", bubbles: true, cancelable: true, ctrlKey, ...flags,
      }));
    }
  }`);
  await cdp.send("Input.insertText", { text: "日本" });
  expect(await field(page).inputValue()).toBe("日本");
  expect(world.callsOf(REPLY)).toEqual([]);
  await page.keyboard.press("Enter");
  expect(await field(page).inputValue()).toBe("日本\n");
  await page.keyboard.press("Control+Enter");
  await waitFor("the reply", () => world.callsOf(REPLY)[0]);
  expect(world.callsOf(REPLY).map(({ body }) => body.text)).toEqual(["日本"]);
  expect(world.complaints).toEqual([]);
});
