import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { openRow, shownRows } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// The place in the list and in a thread is not lost, and nothing shifts what somebody reads.

const browser = openedBrowser();

async function largeInbox() {
  const world = await ConsoleWorld.open(browser);
  for (let index = 0; index < 140; index++) world.inbox.add(`Person ${index}`, [10 + index]);
  const long = world.inbox.add(
    "Long Thread",
    Array.from({ length: 180 }, (_, index) => 2_000 - index * 10),
  );
  world.inbox.add("Other Person", [5]);
  return { world, long };
}

const scrollTop = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`document.querySelector("${selector}").scrollTop`);

const height = (page: Page): Promise<number> => page.evaluate('document.querySelector(".scroll").scrollHeight');

/** Waits until nothing of the page moves any more. */
async function settled(page: Page, selector: string): Promise<void> {
  let before = "";
  await waitFor(
    "a page at rest",
    async () => {
      const now: string = await page.evaluate(`(() => {
      const node = document.querySelector("${selector}");
      return node.scrollTop + " " + node.scrollHeight + " " + node.innerText.length;
    })()`);
      const isSame = now === before;
      before = now;
      return isSame;
    },
    { everyMs: 150 },
  );
}

/** The message at the top of the thread, and how far it is below the edge, in pixels. */
const topMessage = (page: Page): Promise<{ id: string; offset: number }> =>
  page.evaluate(`(() => {
    const edge = document.querySelector(".scroll").getBoundingClientRect().top;
    const all = [...document.querySelectorAll("[data-message]")]
      .map((node) => ({ id: node.dataset.message, offset: Math.round(node.getBoundingClientRect().top - edge) }))
      .filter(({ offset }) => offset >= 0)
      .sort((a, b) => a.offset - b.offset);
    return all[0];
  })()`);

const offsetOf = (page: Page, id: string): Promise<number> =>
  page.evaluate(`Math.round(document.querySelector('[data-message="${id}"]').getBoundingClientRect().top
    - document.querySelector(".scroll").getBoundingClientRect().top)`);

async function wheel(page: Page, selector: string, pixels: number): Promise<void> {
  await page.locator(selector).hover();
  await page.mouse.wheel(0, pixels);
  await settled(page, selector);
}

it("the list keeps its view, filter, order and place through opening a conversation and a reload", async () => {
  const { world } = await largeInbox();
  const page = await world.visit();
  await page.getByRole("combobox", { name: "Platform" }).selectOption("instagram");
  await page.locator(".row", { hasText: "Person 139" }).waitFor();
  await wheel(page, ".rows", 2_500);
  const place = await scrollTop(page, ".rows");
  expect(place).toBeGreaterThan(2_400);
  const before = await shownRows(page);
  await page.locator(".row", { hasText: "Person 99" }).click();
  await page.locator(".thread-head h2", { hasText: "Person 99" }).waitFor();
  expect(await scrollTop(page, ".rows")).toBe(place);
  await page.reload();
  await page.locator(".row").first().waitFor();
  await waitFor("the same place", async () => (await scrollTop(page, ".rows")) === place);
  await waitFor("the same rows", async () => JSON.stringify(await shownRows(page)) === JSON.stringify(before));
  expect(await page.getByRole("combobox", { name: "Platform" }).inputValue()).toBe("instagram");
});

it("a thread that was left in its middle opens at the same message", async () => {
  const { world, long } = await largeInbox();
  const page = await world.visit(long);
  await settled(page, ".scroll");
  await wheel(page, ".scroll", -900);
  const before = await topMessage(page);
  await openRow(page, "Person 139");
  await page.goBack();
  await page.locator(".thread-head h2", { hasText: "Long Thread" }).waitFor();
  await settled(page, ".scroll");
  expect(Math.abs((await offsetOf(page, before.id)) - before.offset)).toBeLessThanOrEqual(2);
});

it("the end of a thread stays above a composer that grows", async () => {
  const { world, long } = await largeInbox();
  const page = await world.visit(long);
  await settled(page, ".scroll");
  const before = (await page.locator(".scroll").boundingBox())?.height ?? 0;
  await page.locator("textarea").fill("A line\n".repeat(12));
  await waitFor("less room", async () => ((await page.locator(".scroll").boundingBox())?.height ?? 0) < before - 80);
  await settled(page, ".scroll");
  const below: number = await page.evaluate(`(() => {
    const node = document.querySelector(".scroll");
    return Math.round(node.scrollHeight - node.scrollTop - node.clientHeight);
  })()`);
  expect(below).toBeLessThanOrEqual(2);
});

it("older pages are added above what is read, which stays where it is", async () => {
  const { world, long } = await largeInbox();
  const page = await world.visit(long);
  await settled(page, ".scroll");
  const release = world.keepBack("GET /v1/conversations/{id}");
  const loaded = await height(page);
  await wheel(page, ".scroll", -(loaded - 1_000));
  await waitFor("the request for older ones", () =>
    world.callsOf("GET /v1/conversations/{id}").some(({ query }) => query.has("cursor")),
  );
  const before = await topMessage(page);
  release();
  await waitFor("the older page", async () => (await height(page)) > loaded + 1_000);
  await settled(page, ".scroll");
  expect(Math.abs((await offsetOf(page, before.id)) - before.offset)).toBeLessThanOrEqual(2);
});

it("what is read at the very top of a thread stays where it is when an older page is added", async () => {
  const { world, long } = await largeInbox();
  const page = await world.visit(long);
  await settled(page, ".scroll");
  const release = world.keepBack("GET /v1/conversations/{id}");
  const loaded = await height(page);
  await wheel(page, ".scroll", -loaded);
  expect(await scrollTop(page, ".scroll")).toBe(0);
  const before = await topMessage(page);
  release();
  await waitFor("the older page", async () => (await height(page)) > loaded + 1_000);
  await settled(page, ".scroll");
  // It is no longer the first one of its group, and loses the gap above it.
  expect(Math.abs((await offsetOf(page, before.id)) - before.offset)).toBeLessThanOrEqual(12);
});

it("a new message does not move what somebody reads further up, and moves the thread while it is at its end", async () => {
  const { world, long } = await largeInbox();
  const page = await world.visit(long);
  await settled(page, ".scroll");
  world.inbox.write(long, "person", { text: "The first new one" });
  await page.locator(".m.in", { hasText: "The first new one" }).waitFor();
  await settled(page, ".scroll");
  await page.locator(".m.in", { hasText: "The first new one" }).click({ trial: true });
  await wheel(page, ".scroll", -1_500);
  const before = await topMessage(page);
  const whole = await height(page);
  world.inbox.write(long, "person", { text: "The second new one" });
  await waitFor("the frame", async () => (await height(page)) > whole);
  await settled(page, ".scroll");
  expect(await offsetOf(page, before.id)).toBe(before.offset);
  expect(world.complaints).toEqual([]);
});
