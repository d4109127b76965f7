import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import type { ConsoleServer } from "../../../web/support/console-server.ts";
import { failures } from "./failures.ts";
import { openWorld, type SmallWorld, workspace } from "./small-world.ts";

const TARGET_MIN = 44;
/** A machine may have other work. */
const WAIT_MS = 20_000;

/** Expects of what a function returns, again until it holds. */
export function eventually<Value>(read: () => Value | Promise<Value>) {
  return expect.poll(read, { timeout: WAIT_MS });
}

/** A world of 1440 pixels that is opened with what its page shows. */
export async function openAdmin(
  [browser, server]: readonly [Browser, ConsoleServer],
  prepare: (world: SmallWorld) => void,
  options: BrowserContextOptions = {},
): Promise<SmallWorld> {
  const world = await openWorld(browser, server, { viewport: { width: 1_440, height: 900 }, ...options });
  world.page.setDefaultTimeout(WAIT_MS);
  prepare(world);
  return world;
}

/** The shown controls that are smaller than a thumb. What stands in a label or is spread over a row has its size. */
const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("button, a[href], select, textarea, summary, input")]
    .filter((node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((node) => ({ node, box: (node.closest(".row-link") ? node.closest("tr") : node.closest("label") ?? node).getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && (box.width < ${TARGET_MIN} - 0.5 || box.height < ${TARGET_MIN} - 0.5))
    .map(({ node, box }) => node.outerHTML.slice(0, 120) + " " + Math.round(box.width) + "x" + Math.round(box.height))`);

const overflow = (page: Page): Promise<number> =>
  page.evaluate(`Math.max(...[document.documentElement, ...document.querySelectorAll("main, dialog[open], main .rowset")]
    .map((node) => node.scrollWidth - node.clientWidth))`);

/** A state of a page: how it is reached, and what shows that it is. */
export interface PageState {
  readonly path: string;
  readonly steps?: (page: Page) => Promise<unknown>;
  readonly shown: string;
}

/**
 * Looks at states of a page at 1440, 390 and 320 pixels, light and dark: axe finds nothing, nothing is wider than the window, and each
 * target of a phone is large enough for a thumb.
 * @param prepare fills the world
 */
export async function expectAccessible(
  sources: readonly [Browser, ConsoleServer],
  prepare: (world: SmallWorld) => void,
  states: readonly PageState[],
): Promise<void> {
  for (const width of [1_440, 390, 320]) {
    for (const { path, steps, shown } of states) {
      const viewport = { width, height: width === 1_440 ? 900 : width === 390 ? 844 : 568 };
      const world = await openAdmin(sources, prepare, { viewport, bypassCSP: true, reducedMotion: "reduce" });
      await world.open(path);
      await steps?.(world.page);
      await world.page.locator(shown).first().waitFor();
      const where = `${path} ${shown} at ${width} px`;
      expect(await accessibilityViolations(world.page), where).toEqual([]);
      expect(await overflow(world.page), where).toBeLessThanOrEqual(0);
      if (width !== 1_440) expect(await smallTargets(world.page), where).toEqual([]);
      await world.page.context().close();
    }
  }
}

/**
 * Each refusal of the call that fills a page shows words and, apart from the end of the session, a press that loads it again.
 * @param shown what is there when it is loaded
 */
export async function expectWaysOn(world: SmallWorld, operation: string, shown: string): Promise<void> {
  const { page } = world;
  for (const { name, answer, words } of failures) {
    if (answer.status === 401) continue;
    world.failures.set(operation, answer);
    await page.reload();
    const problem = page.locator("main").getByRole("alert").first();
    await problem.waitFor();
    if (answer.status !== 404) expect(await problem.innerText(), name).toMatch(words);
    world.failures.delete(operation);
    if (answer.status === 404) continue;
    await problem.getByRole("button", { name: "Try again" }).click();
    await page.locator(shown).first().waitFor();
  }
}

/** The rail names the page for those who may open it, and its address says so to the others. */
export async function expectRole(world: SmallWorld, role: string, path: string, label: string): Promise<void> {
  world.workspaces = [workspace("acme", "Acme", { role })];
  await world.open(path);
  await world.page.getByRole("heading", { name: "Your role does not show this page" }).waitFor();
  expect(await world.page.getByRole("navigation").getByRole("link", { name: label }).count()).toBe(0);
  world.workspaces = [workspace("acme", "Acme")];
}

/** What the browser stores, shows in its address and title, and has asked for: no secret may be in it. */
export async function tracesOf(world: SmallWorld): Promise<string> {
  const stored: string = await world.page.evaluate(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.title, document.cookie])",
  );
  return stored + world.requestedUrls.join("\n");
}

/** Presses a button by the keyboard; of several with the name, the last, which is that of a dialog. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true }).last();
  await button.waitFor();
  // A menu or dialog that has just opened moves the focus into itself a task later.
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))",
  );
  await button.press("Enter");
}
