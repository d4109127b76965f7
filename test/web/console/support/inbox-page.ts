import type { Locator, Page } from "playwright-core";

/** The row of a person in the list. */
export function rowOf(page: Page, name: string): Locator {
  return page.locator(".row", { hasText: name });
}

/** Opens a conversation by its row and waits for its messages. */
export async function openRow(page: Page, name: string): Promise<void> {
  await rowOf(page, name).click();
  await page.locator(".thread-head h2", { hasText: name }).waitFor();
  await page.locator(".msgs:not([hidden])").waitFor({ state: "attached" });
}

/** The field of the composer. */
export function field(page: Page): Locator {
  return page.locator("textarea");
}

/** Writes a text and sends it by the keyboard. */
export async function sendText(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press("Control+Enter");
}

/** The messages of the business or this person with a text, both those of the thread and those that are being sent. */
export function ownBubbles(page: Page, text: string): Locator {
  return page.locator(".m.out", { has: page.locator(".bub", { hasText: text }) });
}

/** The conversations of the shown rows with their distances from the top of the window, in pixels, from top to bottom. */
export function shownRows(page: Page): Promise<{ id: string; top: number }[]> {
  return page.evaluate(`[...document.querySelectorAll(".row")]
    .map((row) => ({ id: row.dataset.conversation, top: Math.round(row.getBoundingClientRect().top) }))
    .sort((a, b) => a.top - b.top)`);
}

/** The ids of the shown rows, from top to bottom. */
export async function shownIds(page: Page): Promise<string[]> {
  return (await shownRows(page)).map(({ id }) => id);
}

/** Attaches a file of a few bytes by the button. */
export async function attachPicture(page: Page, name = "cloth.png"): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles({ name, mimeType: "image/png", buffer: PIXEL });
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Counts the elements that match, at each change of the page from now on. @returns reads the largest count so far */
export async function watchMost(page: Page, selector: string, text: string): Promise<() => Promise<number>> {
  await page.evaluate(`(() => {
    const count = () => [...document.querySelectorAll(${JSON.stringify(selector)})]
      .filter((node) => node.textContent.includes(${JSON.stringify(text)})).length;
    window.mostSeen = count();
    new MutationObserver(() => { window.mostSeen = Math.max(window.mostSeen, count()); })
      .observe(document.body, { childList: true, subtree: true, characterData: true });
  })()`);
  return () => page.evaluate("window.mostSeen");
}
