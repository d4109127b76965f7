import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { field } from "../../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";

const browser = openedBrowser();
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function openThread({
  minutesAgo = [30, 20],
  more = {},
}: {
  minutesAgo?: readonly number[];
  more?: object;
} = {}) {
  const world = await ConsoleWorld.open(browser, more);
  await world.context.route(/\.fbcdn\.net\//, (route) => route.fulfill({ contentType: "image/png", body: PIXEL }));
  const anna = world.inbox.add("Anna Berg", minutesAgo);
  for (let index = 0; index < 14; index++) world.inbox.add(`Guest ${index}`, [100 + index]);
  const page = await world.visit(anna);
  return { world, anna, page };
}

const pictures = (count: number) => ({
  more: {
    attachments: Array.from({ length: count }, (_, index) => ({
      type: "image" as const,
      url: `https://scontent.fbcdn.net/${index}.png`,
      title: null,
      coordinates: null,
    })),
  },
});

const erase = (page: Page) => page.getByRole("button", { name: "Erase this person’s data" });
const palette = (page: Page) => page.getByRole("listbox", { name: "Find people, pages and actions" });

it("a photo of the person pane opens over the page, and the focus comes back to it", async () => {
  const { world, anna, page } = await openThread();
  world.inbox.write(anna, "person", { text: "", ...pictures(2) });
  const photos = page.locator(".media").getByRole("button", { name: "Picture" });
  await photos.first().click();
  await page.locator("dialog.lightbox img[src$='1.png']").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.locator("dialog.lightbox img[src$='0.png']").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("dialog.lightbox").waitFor({ state: "detached" });
  expect(await page.evaluate('document.activeElement.closest(".media") !== null')).toBe(true);
  expect(world.complaints).toEqual([]);
});

it("photos that have gone leave no heading and no place", async () => {
  const { world, anna, page } = await openThread();
  await world.context.route(/\.fbcdn\.net\/[01]\.png/, (route) => route.abort());
  world.inbox.write(anna, "person", { text: "", ...pictures(3) });
  const photos = page.locator(".media").getByRole("button", { name: "Picture" });
  await waitFor("one photo", async () => (await photos.count()) === 1);
  await world.context.route(/\.fbcdn\.net\//, (route) => route.abort());
  await page.reload();
  await page.locator(".msgs .gone-media").nth(2).waitFor();
  await page.getByText("Photos of these 7 days").waitFor({ state: "detached" });
});

it("a picture over the page that has gone says so", async () => {
  const { world, anna, page } = await openThread();
  await world.context.route(/\.fbcdn\.net\/1\.png/, (route) => route.abort());
  world.inbox.write(anna, "person", { text: "", ...pictures(2) });
  await page.locator(".msgs").getByRole("button", { name: "Picture" }).first().click();
  await page.locator("dialog.lightbox img[src$='0.png']").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.locator("dialog.lightbox").getByText("No longer available").waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.locator("dialog.lightbox img[src$='0.png']").waitFor();
});

it("an erasure counts the messages and files that are loaded, and says when there are more", async () => {
  const { world, anna, page } = await openThread();
  world.inbox.write(anna, "person", { text: "", ...pictures(2) });
  await page.locator(".media button").first().waitFor();
  await erase(page).click();
  await page.getByRole("dialog").getByText("profile, 3 messages with 2 files, are erased").waitFor();
  await page.keyboard.press("Escape");
  const many = world.inbox.add(
    "Max Many",
    Array.from({ length: 60 }, (_, index) => 200 - index),
  );
  await page.goto(`${world.origin}/app/acme/inbox/instagram/${many.split("#").slice(3).join("/")}`);
  await erase(page).click();
  await page.getByRole("dialog").getByText("profile, at least 50 messages with no file, are erased").waitFor();
});

it("a call that is refused with 403 reads the role again, and what the role may not do is absent", async () => {
  const { world, page } = await openThread();
  await erase(page).waitFor();
  world.model.role = "agent";
  world.fail("PATCH /v1/conversations/{id}", { status: 403, code: "forbidden" });
  await page.locator(".thread-head .done").click();
  await page.locator(".notice.problem", { hasText: "Your role does not allow this" }).waitFor();
  await erase(page).waitFor({ state: "detached" });
  expect(world.complaints).toEqual([]);
});

it("p hides the person and shows them again, and does nothing while one types or once letters are off", async () => {
  const { page } = await openThread();
  const pane = page.locator(".who");
  await page.locator(".thread").focus();
  await page.keyboard.press("p");
  await pane.waitFor({ state: "detached" });
  await field(page).focus();
  await page.keyboard.press("p");
  expect([await field(page).inputValue(), await pane.count()]).toEqual(["p", 0]);
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await pane.waitFor();
  await page.getByRole("button", { name: "Profile", exact: true }).click();
  await page.getByRole("button", { name: "Single letters as keys: on" }).click();
  await page.locator(".thread").focus();
  for (const key of ["p", "r", "?"]) await page.keyboard.press(key);
  expect([await pane.count(), await page.locator("dialog[open]").count()]).toEqual([1, 0]);
  expect(await page.evaluate('document.activeElement.matches("textarea")')).toBe(false);
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
});

it("the link of a closed conversation is copied", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page } = await openThread({ minutesAgo: [6.9 * 24 * 60, 60 * 24 * 7.5], more: { permissions } });
  const copy = page.getByRole("button", { name: /^Copy ig\.me/ });
  await copy.click();
  await page.getByText("The link is copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^https:\/\/ig\.me\/m\/./);
});

it("15 minutes before its end the session is named in a bar, which sends the next link", async () => {
  const world = await ConsoleWorld.open(browser);
  world.model.sessionLeft = 14.5 * 60_000;
  const page = await world.visit(world.inbox.add("Anna Berg"));
  const bar = page.locator(".strip", { hasText: /15 minutes/ });
  await bar.getByRole("button").click();
  await bar.getByRole("button").last().click();
  await waitFor("the call", () => world.callsOf("POST /console/auth/request")[0]);
  expect(world.complaints).toEqual([]);
});

it("an emoji is chosen by the arrow keys and stands where the text was left", async () => {
  const { page } = await openThread();
  await field(page).fill("Good morning");
  await page.evaluate("document.querySelector('textarea').setSelectionRange(4, 4)");
  await page.getByRole("button", { name: "Emoji" }).press("Enter");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await waitFor("the first emoji", async () => (await focused()) === "😀");
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toBe("😄");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("😄");
  await page.keyboard.press("Enter");
  await waitFor("the text", async () => (await field(page).inputValue()) === "Good😄 morning");
  await waitFor("the focus", () => page.evaluate<boolean>('document.activeElement.matches("textarea")'));
  await page.keyboard.type("!");
  expect(await field(page).inputValue()).toBe("Good😄! morning");
});

it("the arrow keys move through a menu and begin again after its end", async () => {
  const { page } = await openThread();
  await page.getByRole("button", { name: "Profile", exact: true }).press("Enter");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  await waitFor("the first item", async () => (await focused()) === "Change name");
  await page.keyboard.press("ArrowUp");
  expect(await focused()).toBe("Sign out");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("Change name");
});

it("the palette's field stays where it is, and its list shows what is chosen and no more than its width", async () => {
  const { world, page } = await openThread();
  const name = "Maximiliane-Charlotte von Hohenstein-Oberwallenburg zu Niederwallenburg-Hohenfels";
  world.inbox.write(world.inbox.add(name, [10]), "person", { text: "Hello" });
  await page.setViewportSize({ width: 390, height: 600 });
  await page.keyboard.press("Control+k");
  await palette(page)
    .getByRole("option", { name: /^Maximiliane/ })
    .waitFor();
  const sizes = () =>
    page.evaluate(`(() => {
      const list = document.querySelector(".palette");
      return [list.scrollWidth - list.clientWidth, list.scrollHeight > list.clientHeight];
    })()`);
  expect(await sizes()).toEqual([0, true]);
  const isShown = () =>
    page.evaluate<boolean>(`(() => {
      const list = document.querySelector(".palette").getBoundingClientRect();
      const option = document.querySelector(".palette [aria-selected=true]").getBoundingClientRect();
      return option.top >= list.top - 1 && option.bottom <= list.bottom + 1;
    })()`);
  await page.keyboard.press("ArrowUp");
  expect(await isShown()).toBe(true);
  await page.keyboard.press("ArrowDown");
  expect(await isShown()).toBe(true);
  const fieldTop = async () => (await page.locator(".palette-field").boundingBox())?.y;
  const before = await fieldTop();
  await page.keyboard.type("zzzz");
  await page.getByText("Nothing matches.").waitFor();
  expect(await fieldTop()).toBe(before);
});

it("the palette shows pages and actions before people, and runs them", async () => {
  const { world, page } = await openThread();
  const labels = () => palette(page).getByRole("option").locator("bdi").allInnerTexts();
  await page.keyboard.press("Control+k");
  await palette(page).waitFor();
  const shown = await labels();
  expect(shown.slice(0, 3)).toEqual(["Inbox", "Waiting", "Overview"]);
  for (const label of ["Done", "Write an answer", "Theme: Dark", "Sign out"]) expect(shown).toContain(label);
  expect(shown.filter((label) => label.startsWith("Guest")).length).toBeGreaterThan(5);
  await page.keyboard.type("theme: dark");
  await page.keyboard.press("Enter");
  await waitFor("the theme", () => page.evaluate<boolean>("document.documentElement.dataset.theme === 'dark'"));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("write an");
  await page.keyboard.press("Enter");
  await waitFor("the focus", () => page.evaluate<boolean>('document.activeElement.matches("textarea")'));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("done");
  await palette(page).getByRole("option").filter({ hasText: /^Done/ }).first().click();
  await waitFor("the call", () => world.callsOf("PATCH /v1/conversations/{id}")[0]);
  expect(world.complaints).toEqual([]);
});
