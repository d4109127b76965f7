import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { conversation } from "../../../web/console/data/conversations.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { field, openRow, shownIds } from "../../../web/console/support/inbox-page.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { receivedFrame } from "../support/replies.ts";
import { ACCOUNT, messageOf, openWorld, personOf, workspace } from "../support/small-world.ts";

const HOUR = 3_600_000;
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

// The menu of the workspaces.

const inNorth = (person: string, name: string, minutesAgo: number, more: object = {}) =>
  conversation(
    `CONV#north#instagram#${ACCOUNT}#${person}`,
    { inbound: Date.now() - minutesAgo * 60_000 },
    { tenant_id: "north", participant_id: person, participant_name: name, ...more },
  );

/** Two workspaces with one account each, whose people have the same ids. */
async function twoWorkspaces() {
  const world = await openWorld(browser, server, { viewport: { width: 1440, height: 900 } });
  const { page } = world;
  world.workspaces = [workspace("acme", "Acme"), workspace("north", "North")];
  world.add(personOf("993", 1, { participant_name: "Anna of Acme" }), [messageOf("m1", "993", { text: "To Acme" })]);
  world.add(personOf("994", 2, { participant_name: "Ole of Acme" }), [messageOf("m2", "994")]);
  const north = inNorth("993", "Nora of North", 30);
  const ofNorth = ({ searchParams, pathname }: URL) =>
    searchParams.get("tenant") === "north" && pathname === "/v1/conversations";
  const envelope = (data: object) => ({ ok: true, correlation_id: "cor_1", data });
  await page.route(ofNorth, (route) =>
    route.fulfill({
      json: envelope({ conversations: [north, inNorth("995", "Nils of North", 50)], next_cursor: null }),
    }),
  );
  await page.route(
    ({ pathname }) => decodeURIComponent(pathname) === `/v1/conversations/${north.id}`,
    (route) => route.fulfill({ json: envelope({ conversation: north, messages: [], next_cursor: null }) }),
  );
  await world.openThread("993");
  await page.locator(".msgs:not([hidden])").waitFor({ state: "attached" });
  return { world, page };
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Workspaces" }).click();
  await page.getByRole("link", { name: `${name} (${name.toLowerCase()})`, exact: true }).click();
  await page.locator(".row").first().waitFor();
}

const chosen = (page: Page) =>
  page.evaluate<string[]>('[...document.querySelectorAll(".filters select")].map(({ value }) => value)');
const names = async (page: Page) => (await page.locator(".row .name bdi").allInnerTexts()).toSorted();

it("the menu of workspaces opens another one, which shows no row, draft, filter or quote of the first", async () => {
  const { world, page } = await twoWorkspaces();
  await field(page).fill("Only for Anna");
  await page.locator(".m.in").last().hover();
  await page.locator(".m.in .answer").last().click();
  await page.locator(".reply-line").waitFor();
  await page.locator(".tabs button", { hasText: "All" }).click();
  await page.getByRole("combobox", { name: "Platform" }).selectOption("instagram");
  await page.getByRole("combobox", { name: "Window" }).selectOption("open");
  const acme = { ids: await shownIds(page), filters: await chosen(page) };
  expect(acme.ids.length).toBe(2);

  await goTo(page, "North");
  expect(new URL(page.url()).pathname).toBe("/app/north/inbox");
  await waitFor("the rows of North", async () => (await names(page)).join() === "Nils of North,Nora of North");
  expect(await chosen(page)).toEqual(["", "", ""]);
  expect(await page.locator(".tabs [aria-pressed=true]").innerText()).toContain("Needs reply");
  expect(await page.getByText("Draft").count()).toBe(0);
  await openRow(page, "Nora of North");
  expect([await field(page).inputValue(), await page.locator(".reply-line").count()]).toEqual(["", 0]);
  await field(page).fill("Only for Nora");

  await goTo(page, "Acme");
  await waitFor("the list as it was left", async () => (await shownIds(page)).join() === acme.ids.join());
  expect(await chosen(page)).toEqual(acme.filters);
  await openRow(page, "Anna of Acme");
  expect([await field(page).inputValue(), await page.locator(".reply-line").count()]).toEqual(["Only for Anna", 1]);
  expect(world.complaints).toEqual([]);
});

it("an answer and a frame of the workspace that was left change nothing in the other one", async () => {
  const { world, page } = await twoWorkspaces();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    ({ pathname, searchParams }) => pathname === "/v1/conversations" && searchParams.get("tenant") === "acme",
    async (route) => {
      await promise;
      await world.onRequest(route);
    },
  );
  await page.locator(".tabs button", { hasText: "All" }).click();
  await goTo(page, "North");
  await page.locator(".live:not(.waiting)").waitFor();
  await openRow(page, "Nora of North");
  resolve();
  world.push(receivedFrame("993", "m9", { text: "Late for Acme" }));
  world.push({
    ...receivedFrame("993", "n1", { text: "For North", conversation_id: inNorth("993", "", 0).id }),
    tenant_id: "north",
  });
  await page.locator(".m.in", { hasText: "For North" }).waitFor();
  expect(await names(page)).toEqual(["Nils of North", "Nora of North"]);
  expect(await page.getByText("Late for Acme").count()).toBe(0);
});

// The theme.

const groundOf = (page: Page) => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
const LIGHT = "rgb(243, 240, 232)";
const DARK = "rgb(18, 21, 22)";

async function chooseTheme(page: Page, from: string): Promise<void> {
  await page.getByRole("button", { name: "Profile", exact: true }).click();
  await page.getByRole("button", { name: `Theme: ${from}` }).click();
}

it("the theme follows the system, or is light or dark as chosen in the profile, also after a reload", async () => {
  const world = await ConsoleWorld.open(browser, { colorScheme: "light" });
  world.inbox.add("Anna Berg");
  const page = await world.visit();
  expect(await groundOf(page)).toBe(LIGHT);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await groundOf(page)).toBe(DARK);
  await chooseTheme(page, "As the system");
  expect(await groundOf(page)).toBe(LIGHT);
  await page.reload();
  await page.locator(".row").first().waitFor();
  expect(await groundOf(page)).toBe(LIGHT);
  await page.emulateMedia({ colorScheme: "light" });
  await chooseTheme(page, "Light");
  expect(await groundOf(page)).toBe(DARK);
  await page.reload();
  await page.locator(".row").first().waitFor();
  expect(await groundOf(page)).toBe(DARK);
  await chooseTheme(page, "Dark");
  expect(await groundOf(page)).toBe(LIGHT);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await groundOf(page)).toBe(DARK);
  expect(world.complaints).toEqual([]);
});

// The week after a person's last message.

const week = (page: Page) =>
  page.evaluate<{ now: number; replies: number; over: boolean }>(`(() => {
    const box = (selector) => document.querySelector(".week " + selector).getBoundingClientRect();
    const track = box(".track");
    const now = box(".now");
    return {
      now: (now.left + now.width / 2 - track.left) / track.width,
      replies: (box(".replies").right - track.left) / track.width,
      over: document.querySelector(".week").classList.contains("over"),
    };
  })()`);

it.each([
  ["an hour", 1, 0],
  ["23 hours", 23, 5],
  ["four days", 4 * 24, -72],
  ["eight days", 8 * 24, 5],
] as const)("the week strip is right %s after the last message, by the server's clock", async (_, hours, skew) => {
  const world = await ConsoleWorld.open(browser);
  world.model.clockSkew = skew * HOUR;
  const anna = world.inbox.add("Anna Berg", [hours * 60]);
  const page = await world.visit(anna);
  await page.locator(".week .now", { hasText: "now" }).waitFor();
  const { now, replies, over } = await week(page);
  expect(replies).toBeCloseTo(1 / 7, 2);
  expect(now).toBeCloseTo(Math.min(1, hours / (7 * 24)), 2);
  expect(over).toBe(hours >= 7 * 24);
});

it.each([1440, 1024, 720, 390])("a notice covers no part of the composer at %i px", async (width) => {
  const world = await ConsoleWorld.open(browser, { viewport: { width, height: 844 } });
  world.inbox.add("Anna Berg", [30]);
  const page = await world.visit();
  await openRow(page, "Anna Berg");
  world.fail("PATCH /v1/conversations/{id}", { status: 400, code: "invalid_request" });
  await page.getByRole("button", { name: /^Done/ }).click();
  await page.locator(".notice.problem").waitFor();
  const [notice, composer] = await Promise.all([".notice", ".foot"].map((part) => page.locator(part).boundingBox()));
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThan(composer?.y ?? 0);
});

// A console that is older than the one of the server.

const strip = (page: Page) => page.locator(".strip", { hasText: "A new version of the console is ready." });
const isOfBuild = ({ pathname }: URL) => pathname === "/app";

it("a build that is newer than the page is offered, and only a press reloads", async () => {
  const world = await ConsoleWorld.open(browser);
  let answers = 0;
  let build = "";
  await world.context.route(isOfBuild, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    answers += 1;
    const response = await route.fetch();
    const body = (await response.text()).replace(/(\/app\/assets\/[\w-]+)\.js/, `$1${build}.js`);
    await route.fulfill({ response, body });
  });
  const anna = world.inbox.add("Anna Berg", [30]);
  const page = await world.visit(anna);
  await waitFor("the first look", () => answers === 1);
  await field(page).fill("Half an ans");
  expect(await strip(page).count()).toBe(0);
  build = "-newer";
  await world.dropSocket();
  await world.reconnected();
  await strip(page).waitFor();
  expect([await field(page).inputValue(), answers]).toEqual(["Half an ans", 2]);
  build = "";
  await strip(page).getByRole("button", { name: "Reload" }).click();
  await waitFor("the reload", () => answers === 3);
  expect([await field(page).inputValue(), await strip(page).count()]).toEqual(["Half an ans", 0]);
});

it.each([
  ["the page of a hotel's Wi-Fi", { contentType: "text/html", body: "<!doctype html><h1>Welcome to our Wi-Fi</h1>" }],
  ["an error", { status: 500, contentType: "text/html", body: '<script src="/app/assets/other.js"></script>' }],
])("%s is no newer build", async (_, answer) => {
  const world = await ConsoleWorld.open(browser);
  let answers = 0;
  await world.context.route(isOfBuild, async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    await route.fulfill(answer);
    answers += 1;
  });
  world.inbox.add("Anna Berg");
  const page = await world.visit();
  await waitFor("the look", () => answers === 1);
  await page.locator(".live:not(.waiting)").waitFor();
  expect(await strip(page).count()).toBe(0);
});

it("the rail scrolls in a window at 200 %, and the page does not", async () => {
  const world = await ConsoleWorld.open(browser, { viewport: { width: 720, height: 450 } });
  world.inbox.add("Anna Berg");
  const page = await world.visit();
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBe(450);
  const profile = page.getByRole("button", { name: "Profile", exact: true });
  await profile.focus();
  const { y, height } = (await profile.boundingBox()) ?? { y: 0, height: 451 };
  expect(y + height).toBeLessThanOrEqual(450);
  expect(await page.evaluate("document.documentElement.scrollTop")).toBe(0);
  expect(world.complaints).toEqual([]);
});
