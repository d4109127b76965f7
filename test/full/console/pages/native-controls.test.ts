import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { field } from "../../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";

// The console's menus, dialogs and tips are the browser's. By keyboard they do what those of a component library do.

const browser = openedBrowser();

async function openThread() {
  const world = await ConsoleWorld.open(browser);
  const page = await world.visit(world.inbox.add("Anna Berg", [30, 20]));
  return { world, page };
}

const profile = (page: Page) => page.getByRole("button", { name: "Profile", exact: true });
const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");
const hasFocus = (page: Page, text: string) =>
  waitFor(`the focus on ${text}`, async () => (await focused(page)).startsWith(text));
const isMenuOpen = (page: Page) => page.evaluate<boolean>('document.querySelector(".menu:popover-open") !== null');
const tip = (page: Page) => page.locator(".tip:popover-open");

it.each([
  ["Enter", "Change name"],
  ["Space", "Change name"],
  ["ArrowDown", "Change name"],
  ["ArrowUp", "Sign out"],
])("%s opens a menu at “%s”, and Escape gives the focus back to the button", async (key, item) => {
  const { page } = await openThread();
  await profile(page).press(key);
  await hasFocus(page, item);
  await page.keyboard.press("Escape");
  await waitFor("the end of the menu", async () => !(await isMenuOpen(page)));
  expect(await page.evaluate('document.activeElement.matches("button.me")')).toBe(true);
  expect(await page.locator(".thread-head h2").innerText()).toBe("Anna Berg");
});

it("Home, End and first letters move through a menu, and its letters are no keys of the page", async () => {
  const { world, page } = await openThread();
  await profile(page).press("Enter");
  await hasFocus(page, "Change name");
  await page.keyboard.press("End");
  await hasFocus(page, "Sign out");
  await page.keyboard.press("Home");
  await hasFocus(page, "Change name");
  await page.keyboard.press("t");
  await hasFocus(page, "Theme");
  await page.waitForTimeout(750);
  await page.keyboard.type("si");
  await hasFocus(page, "Single letters");
  await page.keyboard.type("gn ");
  await hasFocus(page, "Sign out");
  // "e" marks a conversation as done, "p" hides the person, and "?" opens the keys.
  for (const key of ["e", "p", "?"]) await page.keyboard.press(key);
  expect(await isMenuOpen(page)).toBe(true);
  expect(await page.locator(".who").count()).toBe(1);
  expect(await page.locator("dialog[open]").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await page.locator(".who").waitFor({ state: "detached" });
  expect(world.callsOf("PATCH /v1/conversations/{id}")).toEqual([]);
});

it("letters are no keys of the page while an emoji is chosen", async () => {
  const { world, page } = await openThread();
  await page.getByRole("button", { name: "Emoji" }).press("Enter");
  await waitFor("the emoji", () => isMenuOpen(page));
  for (const key of ["e", "p"]) await page.keyboard.press(key);
  expect([await isMenuOpen(page), await page.locator(".who").count()]).toEqual([true, 1]);
  expect(world.callsOf("PATCH /v1/conversations/{id}")).toEqual([]);
});

it("a press elsewhere closes a menu, and Tab goes on through it", async () => {
  const { page } = await openThread();
  await profile(page).press("Enter");
  await hasFocus(page, "Change name");
  await page.keyboard.press("Tab");
  await hasFocus(page, "Theme");
  await page.locator(".thread-head h2").click();
  await waitFor("the end of the menu", async () => !(await isMenuOpen(page)));
});

it("every control that shows no words has a tip that the keyboard reaches, with the words of its name", async () => {
  const { page } = await openThread();
  const silent = await page.evaluate<string[]>(`[...document.querySelectorAll("button, a[href]")]
    .filter((node) => node.checkVisibility() && !/[\\p{L}]{3}/u.test(node.innerText ?? "") && !node.title)
    .map((node) => node.outerHTML.slice(0, 90))`);
  expect(silent).toEqual([]);
  await page.locator(".thread").focus();
  await page.keyboard.press("Tab");
  const seen: string[] = [];
  for (let press = 0; press < 12; press++) {
    const title = await page.evaluate<string>("document.activeElement.title");
    if (title !== "") {
      await tip(page).getByText(title, { exact: true }).waitFor();
      seen.push(title);
    } else expect(await tip(page).count()).toBe(0);
    await page.keyboard.press("Tab");
  }
  expect(seen).toEqual(expect.arrayContaining(["About this person (p)", "Attach files", "Emoji"]));
});

it("Escape hides a tip and leaves the focus, and a pointer gets no tip", async () => {
  const { page } = await openThread();
  const button = page.getByRole("button", { name: "About this person" });
  await page.getByRole("button", { name: "Done" }).focus();
  await page.keyboard.press("Tab");
  await tip(page).waitFor();
  const box = await tip(page).boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1440 - 12);
  await page.keyboard.press("Escape");
  await tip(page).waitFor({ state: "hidden" });
  expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("About this person");
  expect(await page.locator(".thread-head h2").innerText()).toBe("Anna Berg");
  await field(page).click();
  await button.click();
  expect(await tip(page).count()).toBe(0);
});

it("the tip of a control that was out of sight stands beside it", async () => {
  const world = await ConsoleWorld.open(browser);
  const many = Array.from({ length: 40 }, (_, index) => 90 - index);
  const page = await world.visit(world.inbox.add("Anna Berg", many));
  await page.locator(".m.in .answer").last().focus();
  for (let press = 0; press < 8; press++) await page.keyboard.press("Shift+Tab");
  await waitFor("a message of the thread", () => page.evaluate<boolean>('document.activeElement.matches(".answer")'));
  await waitFor("the tip at its control", () =>
    page.evaluate<boolean>(`(() => {
      const [tip, control] = [document.querySelector(".tip:popover-open"), document.activeElement];
      if (!tip) return false;
      const [a, b] = [tip.getBoundingClientRect(), control.getBoundingClientRect()];
      return Math.abs(a.top - b.bottom - 6) < 2 || Math.abs(b.top - a.bottom - 6) < 2;
    })()`),
  );
});
