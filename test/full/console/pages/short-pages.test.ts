import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { openRow, rowOf, shownIds, shownRows } from "../../../web/console/support/inbox-page.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { openWorld, personOf, workspace } from "../support/small-world.ts";

// A page with a filter is short or empty beside many others: counts, headings and empty lists stay true.

const LIST = "GET /v1/conversations";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

const titled = (page: Page, start: string) =>
  waitFor(`a title that starts with ${start}`, async () => (await page.title()).startsWith(start), { seconds: 20 });

/** Answered conversations of a week, so that a page of those who wait has few or none. */
function addAnswered(world: ConsoleWorld, count: number): void {
  for (let index = 0; index < count; index++) {
    world.inbox.add(`Answered ${index}`, [30 + index * 7], { author: "ben" });
  }
}

const scrollTo = (page: Page, top: number | string) =>
  page.evaluate(`(() => { const list = document.querySelector(".rows"); list.scrollTop = ${top}; })()`);
const scrollTop = (page: Page): Promise<number> => page.evaluate('document.querySelector(".rows").scrollTop');

it("a week of 1,400 conversations has an exact count of the few who wait, in the title, the rail and the tab", async () => {
  const world = await ConsoleWorld.open(browser);
  addAnswered(world, 1_400);
  for (let index = 0; index < 12; index++) world.inbox.add(`Waiting ${index}`, [60 + index * 700]);
  const page = await world.visit();
  await titled(page, "(12) ");
  expect(await page.locator(".rail .count").innerText()).toBe("12");
  expect(await page.locator(".tabs .num").innerText()).toBe("12");
  // Also where the list itself is not shown.
  await page.locator(".tabs button", { hasText: "All" }).click();
  await page.reload();
  await titled(page, "(12) ");
  expect(world.complaints).toEqual([]);
});

it("the words that everyone has an answer do not show until the last page is known", async () => {
  const world = await ConsoleWorld.open(browser);
  addAnswered(world, 500);
  world.inbox.add("Late One", [140 * 60]);
  const release = world.keepBack(LIST);
  const page = await world.context.newPage();
  await page.goto(`${world.origin}/app/acme/inbox`);
  await page.getByText("Loading conversations").waitFor({ state: "attached" });
  expect(await page.getByText("Everyone has an answer").count()).toBe(0);
  release();
  await rowOf(page, "Late One").waitFor();
  await titled(page, "(1) ");
});

it("of more than 200 who wait, the count and the headings say 200+, and a heading that is complete is exact", async () => {
  const world = await ConsoleWorld.open(browser);
  for (let index = 0; index < 3; index++) world.inbox.add(`Closing ${index}`, [1_330 + index]);
  for (let index = 0; index < 260; index++) world.inbox.add(`Open ${index}`, [10 + index]);
  const page = await world.visit();
  await titled(page, "(200+) ");
  const heading = (name: string) => page.locator(".rows h2", { hasText: name }).locator("span");
  expect(await heading("Closing within two hours").innerText()).toBe("3");
  await waitFor("the heading", async () => /^1\d\d\+$/.test(await heading("Open").innerText()));
  for (let scroll = 0; scroll < 10; scroll++) {
    await scrollTo(page, "list.scrollHeight");
    await page.waitForTimeout(100);
  }
  await rowOf(page, "Open 0 ").waitFor();
  await scrollTo(page, 0);
  expect(await heading("Closing within two hours").innerText()).toBe("3");
  await waitFor("the heading", async () => (await heading("Open").innerText()) === "200+");
});

it("a count below 200 becomes exact when those before the next page got an answer", async () => {
  const world = await ConsoleWorld.open(browser);
  const ids = Array.from({ length: 230 }, (_, index) => world.inbox.add(`Person ${index}`, [600 - index]));
  const page = await world.visit();
  await titled(page, "(200+) ");
  for (const id of ids.slice(0, 50)) world.inbox.write(id, "ben");
  await titled(page, "(180) ");
});

it.each([
  ["an end of the rights", { status: 403, code: "forbidden" }, "Your role does not allow this."],
  ["a long limit", { status: 429, code: "rate_limited" }, "Too many requests were made."],
  ["a failure", { status: 500, code: "internal_error" }, "Parley did not answer as expected."],
] as const)(
  "a second page of the list with %s has words, no endless requests, and a way on",
  async (...[, failure, words]) => {
    const world = await ConsoleWorld.open(browser);
    addAnswered(world, 120);
    const page = await world.visit();
    await page.locator(".tabs button", { hasText: "All" }).click();
    await rowOf(page, "Answered 0").first().waitFor();
    const succeed = world.fail(LIST, failure, 1_000);
    await scrollTo(page, "list.scrollHeight");
    const problem = page.getByRole("alert").filter({ hasText: words });
    await problem.waitFor();
    const before = world.callsOf(LIST).length;
    await page.waitForTimeout(700);
    expect(world.callsOf(LIST).length).toBe(before);
    expect(await page.locator(".row").count()).toBeGreaterThan(5);
    succeed();
    await problem.getByRole("button", { name: "Try again" }).click();
    await problem.waitFor({ state: "detached" });
    await waitFor("the last row", async () => {
      await scrollTo(page, "list.scrollHeight");
      return (await rowOf(page, "Answered 119").count()) > 0;
    });
    expect(world.complaints).toEqual([]);
  },
);

it("a list that could not be fetched again says so above its rows' end, and a press fetches it", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30]);
  world.inbox.add("Ole Dahl", [20]);
  const page = await world.visit();
  const frames = world.keepFrames();
  world.inbox.write(anna, "person", { text: "Are you there?" });
  frames();
  const succeed = world.fail(LIST, { status: 400, code: "invalid_request" }, 1_000);
  await page.evaluate('dispatchEvent(new Event("online"))');
  const problem = page.getByRole("alert").filter({ hasText: "This list may be incomplete." });
  await problem.waitFor();
  expect(await page.locator(".row").count()).toBe(2);
  succeed();
  await problem.getByRole("button", { name: "Try again" }).click();
  await rowOf(page, "Are you there?").waitFor();
  await problem.waitFor({ state: "detached" });
});

it("filters without their accounts say so, and a press loads them", async () => {
  const world = await ConsoleWorld.open(browser);
  world.inbox.add("Anna Berg", [30]);
  const succeed = world.fail("GET /v1/accounts", { status: 400, code: "invalid_request" }, 1_000);
  const page = await world.visit();
  const problem = page.getByRole("alert").filter({ hasText: "The accounts could not be loaded." });
  await problem.waitFor();
  succeed();
  await problem.getByRole("button", { name: "Try again" }).click();
  await problem.waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Account" }).selectOption({ label: "harbor.tailors" });
});

it("a filter that was chosen before is not fetched again", async () => {
  const world = await ConsoleWorld.open(browser);
  world.inbox.add("Anna Berg", [30]);
  const page = await world.visit();
  const platform = page.getByRole("combobox", { name: "Platform" });
  await platform.selectOption("instagram");
  await waitFor("the filter", () => world.callsOf(LIST).some(({ query }) => query.get("platform") === "instagram"));
  await platform.selectOption("");
  await page.waitForTimeout(300);
  const before = world.callsOf(LIST).length;
  await page.evaluate('dispatchEvent(new Event("online"))');
  await waitFor("the next fetch", () => world.callsOf(LIST).length > before);
  await page.waitForTimeout(500);
  expect(
    world
      .callsOf(LIST)
      .slice(before)
      .filter(({ query }) => query.has("platform")),
  ).toEqual([]);
});

it("another view is at its own place: at its top the first time, and where it was left after that", async () => {
  const world = await ConsoleWorld.open(browser);
  for (let index = 0; index < 90; index++) world.inbox.add(`Person ${index}`, [10 + index]);
  const page = await world.visit();
  const tab = (name: string) => page.locator(".tabs button", { hasText: name }).click();
  await rowOf(page, "Person 89").waitFor();
  await page.waitForTimeout(300);
  await scrollTo(page, 1_500);
  await page.waitForTimeout(200);
  await tab("All");
  await rowOf(page, "Person 0 ").waitFor();
  expect(await scrollTop(page)).toBe(0);
  await scrollTo(page, 900);
  await page.waitForTimeout(200);
  await tab("Needs reply");
  await waitFor("the place of Needs reply", async () => (await scrollTop(page)) === 1_500);
  await page.getByRole("combobox", { name: "Window" }).selectOption("open");
  await waitFor("the top of a filter", async () => (await scrollTop(page)) === 0);
  await page.getByRole("combobox", { name: "Window" }).selectOption("");
  await tab("All");
  await waitFor("the place of All", async () => (await scrollTop(page)) === 900);
  await page.reload();
  await page.locator(".row").first().waitFor();
  await waitFor("the place after a reload", async () => (await scrollTop(page)) === 900);
});

it("no row of All moves while it is scrolled, although no pointer is on it, and new ones wait in the bar", async () => {
  const world = await ConsoleWorld.open(browser);
  const ids = Array.from({ length: 90 }, (_, index) => world.inbox.add(`Person ${index}`, [10 + index]));
  const page = await world.visit();
  await page.locator(".tabs button", { hasText: "All" }).click();
  await rowOf(page, "Person 0 ").waitFor();
  await page.mouse.move(1_000, 400);
  await scrollTo(page, 600);
  await page.waitForTimeout(300);
  const before = await shownRows(page);
  world.inbox.write(world.inbox.add("New Comer", [700]), "person", { text: "Hello?" });
  world.inbox.write(ids[30] ?? "", "person", { text: "One more" });
  await page.getByRole("button", { name: "1 new" }).waitFor();
  expect(await shownRows(page)).toEqual(before);
  await page.getByRole("button", { name: "1 new" }).click();
  await rowOf(page, "New Comer").waitFor();
  await waitFor("the newest order", async () => (await shownIds(page))[0] === ids[30]);
  // At its top it moves by itself.
  await page.mouse.move(1_000, 400);
  world.inbox.write(ids[40] ?? "", "person", { text: "Me, too" });
  await waitFor("the newest order", async () => (await shownIds(page))[0] === ids[40]);
});

it("an account that is chosen in one workspace is not chosen in another", async () => {
  const world = await openWorld(browser, server);
  world.add(personOf("993", 1));
  world.workspaces = [workspace("acme", "Acme"), workspace("north", "North")];
  await world.open();
  const { page } = world;
  const account = page.getByRole("combobox", { name: "Account" });
  await account.selectOption({ label: "acme" });
  await expect.poll(() => world.requestedUrls.some((url) => url.includes("account_key="))).toBe(true);
  await world.open("/app/north/inbox");
  await page.locator(".row").first().waitFor();
  expect(await account.inputValue()).toBe("");
  const ofNorth = world.requestedUrls.filter((url) => url.includes("/v1/conversations?tenant=north"));
  expect(ofNorth.length).toBeGreaterThan(0);
  expect(ofNorth.filter((url) => url.includes("account_key="))).toEqual([]);
  await world.open("/app/acme/inbox");
  await page.locator(".row").first().waitFor();
  await expect.poll(() => account.inputValue()).not.toBe("");
});

it("a conversation that is marked as done leaves the list at once, although a frame of it came just before", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30]);
  world.inbox.add("Ole Dahl", [20]);
  const page = await world.visit();
  await openRow(page, "Anna Berg");
  world.inbox.write(anna, "person", { text: "Thanks!" });
  await page.locator(".m.in", { hasText: "Thanks!" }).waitFor();
  await page.mouse.move(1_000, 400);
  await page.evaluate("document.activeElement.blur()");
  // The push never comes.
  world.keepFrames();
  await page.keyboard.press("e");
  await titled(page, "(1) ");
  await rowOf(page, "Anna Berg").waitFor({ state: "detached" });
});
