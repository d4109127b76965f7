import type { CDPSession, Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { field, ownBubbles, rowOf } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { eventually } from "./support/admin-page.ts";

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
  await eventually(() => world.callsOf(REPLY).map(({ body }) => body)).toEqual([
    { conversation_id: anna, text: "On my way" },
  ]);
});

const KEYBOARD_PX = 336;

/** A thread that is higher than a phone, with the field of its composer in use. */
async function typing(more: { readonly before?: string } = {}) {
  const world = await ConsoleWorld.open(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  if (more.before) await world.context.addInitScript(more.before);
  const many = Array.from({ length: 30 }, (_, index) => 60 - index);
  world.inbox.add("Anna Berg", many);
  const page = await world.visit();
  await rowOf(page, "Anna Berg").tap();
  await field(page).tap();
  await waitFor("the end of the thread", async () => (await lowest(page)).message > 0);
  return { world, page };
}

/** Where the newest message and the composer end, and where the head begins, in pixels below the top of the window. */
const lowest = (page: Page): Promise<{ message: number; composer: number; head: number }> =>
  page.evaluate(`(() => {
    const box = (selector) => [...document.querySelectorAll(selector)].at(-1)?.getBoundingClientRect();
    const ends = [...document.querySelectorAll(".m")].map((node) => node.getBoundingClientRect().bottom);
    return { message: Math.max(0, ...ends), composer: box(".foot").bottom, head: box(".thread-head").top };
  })()`);

const standsAbove = (page: Page, edge: number) =>
  waitFor(`a composer above ${edge} with the newest message over it`, async () => {
    const { message, composer, head } = await lowest(page);
    const top = (await page.locator(".foot").boundingBox())?.y ?? 0;
    return Math.abs(composer - edge) < 12 && message > top - 120 && message <= top + 1 && head >= 0;
  });

it("the composer stands above a keyboard that shortens the window, and the newest message above it", async () => {
  const { page } = await typing();
  await standsAbove(page, 844);
  // Chromium does this on a phone when the page asks for it.
  const asked = await page.locator('meta[name="viewport"]').getAttribute("content");
  expect(asked?.split(/,\s*/)).toContain("interactive-widget=resizes-content");
  await page.setViewportSize({ width: 390, height: 844 - KEYBOARD_PX });
  await standsAbove(page, 844 - KEYBOARD_PX);
  await page.setViewportSize({ width: 390, height: 844 });
  await standsAbove(page, 844);
});

// Safari leaves the window as it is, shortens the visual viewport and moves the page up. Chromium does it on no machine.
const SAFARI = `{
  let covered = 0;
  let moved = 0;
  const viewport = new EventTarget();
  Object.defineProperties(viewport, {
    height: { get: () => innerHeight - covered },
    pageTop: { get: () => moved },
    scale: { value: 1 },
  });
  Object.defineProperty(window, "visualViewport", { value: viewport });
  window.scrollTo = (_, top) => { moved = top; };
  window.isMoved = () => moved !== 0;
  window.cover = (px) => {
    covered = px;
    moved = px;
    viewport.dispatchEvent(new Event("resize"));
    viewport.dispatchEvent(new Event("scroll"));
  };
}`;

it("the composer stands above a keyboard that covers the window, and the page is not moved out of it", async () => {
  const { world, page } = await typing({ before: SAFARI });
  await standsAbove(page, 844);
  await page.evaluate(`cover(${KEYBOARD_PX})`);
  await standsAbove(page, 844 - KEYBOARD_PX);
  expect(await page.evaluate("isMoved()")).toBe(false);
  await page.evaluate("cover(0)");
  await standsAbove(page, 844);
  expect(world.complaints).toEqual([]);
});

it("a page that is zoomed by two fingers keeps its height", async () => {
  const { page } = await typing();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setPageScaleFactor", { pageScaleFactor: 2 });
  await waitFor("the zoom", () => page.evaluate<boolean>("visualViewport.scale === 2 && visualViewport.height < 500"));
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  const height = await page.evaluate<number>('document.querySelector(".app").getBoundingClientRect().height');
  expect(Math.abs(height - 844)).toBeLessThan(2);
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

it("what is pressed in a refused message, the choice of emoji and an erasure is large enough for a thumb", async () => {
  const { world, page } = await openPhone();
  world.model.sending.platformRefusal = "(#551) This person isn't available right now.";
  await rowOf(page, "Anna Berg").tap();
  await field(page).fill("Good morning");
  await page.getByRole("button", { name: /^Send/ }).tap();
  await page.getByRole("button", { name: "Send again" }).waitFor();
  expect(await smallTargets(page)).toEqual([]);
  await page.getByRole("button", { name: "Emoji" }).tap();
  await page.locator(".emoji:popover-open").waitFor();
  expect(await smallTargets(page)).toEqual([]);
  expect(await hasSidewaysScroll(page)).toBe(false);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "About this person" }).tap();
  await page.getByRole("button", { name: "Erase this person’s data" }).tap();
  await page.locator(".erase-form").waitFor();
  expect(await smallTargets(page)).toEqual([]);
});

it("the page of accounts scrolls its content and not the window, and its targets are large enough", async () => {
  const { page } = await openPhone();
  await page.setViewportSize({ width: 390, height: 300 });
  await page.getByRole("link", { name: "Accounts" }).tap();
  await page.locator(".account-list li").first().waitFor();
  const scrolls = (selector: string) =>
    page.evaluate(
      `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight)(document.querySelector("${selector}"))`,
    );
  expect([await scrolls(".admin"), await scrolls("html")]).toEqual([true, false]);
  expect(await smallTargets(page)).toEqual([]);
  expect(await hasSidewaysScroll(page)).toBe(false);
});

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
