import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { DESK, PHONE, tabTo } from "../../../e2e/console/console-visit.ts";

/** How a person works: by the keys alone at 1440 pixels, or by touch at 390. Each call waits for its target. */
export interface Hands {
  readonly how: "keyboard" | "touch";
  readonly screen: BrowserContextOptions;
  /** Presses a button or a link. */
  press(page: Page, target: Locator): Promise<void>;
  /** Checks a box or chooses a radio button that is not checked. */
  check(page: Page, target: Locator): Promise<void>;
  /** Replaces what a field has. */
  write(page: Page, field: Locator, text: string): Promise<void>;
  /** Chooses an option of a list by its words. */
  select(page: Page, list: Locator, option: string): Promise<void>;
}

/** An element in the page, in what is read of it here: tests are compiled without the types of browsers. */
interface PageElement {
  readonly type?: string;
  readonly name?: string;
  readonly selectedOptions: readonly { readonly textContent: string }[];
  readonly ownerDocument: { readonly activeElement: unknown };
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((node: PageElement) => node === node.ownerDocument.activeElement);

const keyboard: Hands = {
  how: "keyboard",
  screen: DESK,
  async press(page, target) {
    await target.waitFor();
    await tabTo(page, target);
    await page.keyboard.press("Enter");
  },
  async check(page, target) {
    await target.waitFor();
    if (await target.isChecked()) return;
    const group = await target.evaluate(({ type, name }: PageElement) => (type === "radio" ? name : undefined));
    if (group === undefined) {
      await tabTo(page, target);
      await page.keyboard.press("Space");
      return;
    }
    // Tab stops at the one that is checked; arrows choose the others.
    await tabTo(page, page.locator(`input[type=radio][name="${group}"]:checked`));
    await tabTo(page, target, "ArrowDown");
  },
  async write(page, field, text) {
    await field.waitFor();
    await tabTo(page, field);
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  },
  async select(page, list, option) {
    await list.waitFor();
    await tabTo(page, list);
    await page.keyboard.press("Home");
    for (let presses = 0; (await chosen(list)) !== option; presses += 1) {
      if (presses > 60) throw new Error(`The list has no option ${option}.`);
      await page.keyboard.press("ArrowDown");
    }
    if (!(await isFocused(list))) throw new Error("The focus left the list.");
  },
};

const chosen = (list: Locator): Promise<string> =>
  list.evaluate((node: PageElement) => node.selectedOptions[0]?.textContent ?? "");

const touch: Hands = {
  how: "touch",
  screen: PHONE,
  press: (page, target) => tap(page, target),
  async check(page, target) {
    await target.waitFor();
    if (await target.isChecked()) return;
    // The box itself may be drawn by its label.
    const label = target.locator("xpath=ancestor::label");
    await tap(page, (await label.count()) > 0 ? label : target);
  },
  async write(page, field, text) {
    await tap(page, field);
    await field.fill(text);
  },
  // The list that opens is part of the system, which has no fingers in a headless browser.
  async select(page, list, option) {
    await expectThumb(page, list);
    await list.selectOption({ label: option });
  },
};

async function tap(page: Page, target: Locator): Promise<void> {
  await expectThumb(page, target);
  await target.tap();
}

const THUMB_MIN = 44;

/** A target of the console has room for a thumb. What stands in a label or is spread over a row has its size. */
async function expectThumb(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  if (!new URL(page.url()).pathname.startsWith("/app")) return;
  const { width, height } = await target.evaluate((node: PageElement) => {
    const whole = node.matches(".row-link") ? node.closest("tr") : node.closest("label");
    const box = (whole ?? node).getBoundingClientRect();
    return { width: box.width, height: box.height };
  });
  if (Math.min(width, height) < THUMB_MIN - 0.5) throw new Error(`${target} has ${width} by ${height} pixels.`);
}

/** Both ways of working. */
export const bothHands: readonly Hands[] = [keyboard, touch];

/** Opens a page of the console from the rail. On a phone the further ones are behind "More". */
export async function openFromRail({ press }: Hands, page: Page, name: string): Promise<void> {
  const rail = page.getByRole("navigation", { name: "Console" });
  // Some have a count behind their name.
  const link = rail.getByRole("link", { name: new RegExp(`^${name}\\b`) }).filter({ visible: true });
  await rail.waitFor();
  if ((await link.count()) === 0) await press(page, rail.getByRole("button", { name: "More", exact: true }));
  const path = await link.getAttribute("href");
  await press(page, link);
  await page.waitForURL(({ pathname }) => pathname === path);
}
