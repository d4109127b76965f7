import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { openRow, rowOf } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// Long threads and lists stay small in the page.

const NODES_MAX = 1_500;
const THREAD = "GET /v1/conversations/{id}";
const LIST = "GET /v1/conversations";
const browser = openedBrowser();

const nodeCount = (page: Page): Promise<number> => page.evaluate("document.getElementsByTagName('*').length");

/** Scrolls to an end again and again until everything is loaded. @returns the largest count of nodes */
async function scrollUntil(page: Page, scroll: string, isLoaded: () => Promise<boolean> | boolean): Promise<number> {
  let most = 0;
  await waitFor(
    "the last page",
    async () => {
      await page.evaluate(scroll);
      most = Math.max(most, await nodeCount(page));
      return isLoaded();
    },
    { seconds: 120, everyMs: 10 },
  );
  return most;
}

it("a thread of 5,000 messages and a list of 2,000 people have at most 1,500 nodes, and all can be read", async () => {
  const world = await ConsoleWorld.open(browser);
  const minutes = Array.from({ length: 5_000 }, (_, index) => 9_000 - index);
  const long = world.inbox.add("Long Thread", minutes);
  for (let index = 0; index < 2_000; index++) world.inbox.add(`Person ${index}`, [10 + index / 2], { author: "ben" });
  const page = await world.visit(long);
  await page.locator(".tabs button", { hasText: "All" }).click();
  await rowOf(page, "Person 5 ").first().waitFor();

  const lastRow = rowOf(page, "Person 1999");
  const list = await scrollUntil(
    page,
    '(() => { const list = document.querySelector(".rows"); list.scrollTop = list.scrollHeight; })()',
    async () => (await lastRow.count()) > 0,
  );
  expect(list).toBeLessThanOrEqual(NODES_MAX);
  expect(world.callsOf(LIST).length).toBeGreaterThanOrEqual(40);

  const oldest = page.locator('[data-message="m_long.thread_0"]');
  const thread = await scrollUntil(
    page,
    'document.querySelector(".scroll").scrollTop = 0',
    async () => (await oldest.count()) > 0,
  );
  expect(thread).toBeLessThanOrEqual(NODES_MAX);
  await page.getByRole("button", { name: "Go to the newest message" }).click();
  await page.locator(".m.in", { hasText: "Long Thread writes 5000" }).waitFor();
  expect(await nodeCount(page)).toBeLessThanOrEqual(NODES_MAX);
});

it("a thread that was loaded shows without waiting for a request", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  world.inbox.add("Ole Dahl", [300]);
  const page = await world.visit(anna);
  await openRow(page, "Ole Dahl");
  const release = world.keepBack(THREAD);
  await rowOf(page, "Anna Berg").click();
  await page.locator(".m.in", { hasText: "Anna Berg writes 2" }).waitFor();
  world.inbox.write(anna, "person", { text: "One more" });
  await page.locator(".m.in", { hasText: "One more" }).waitFor();
  release();
  expect(world.complaints).toEqual([]);
});
