import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { STALE_MS } from "../../../web/console/data/conversation-book.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { rowOf, shownIds, shownRows } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// A press acts on the row that it began on, and no row moves under the pointer or the focus.

const browser = openedBrowser();
const names = ["Anna Berg", "Ole Dahl", "Ida Lund", "Jon Moe", "Eva Nord"];

async function fivePeople(options: Parameters<typeof ConsoleWorld.open>[1] = {}) {
  const world = await ConsoleWorld.open(browser, options);
  const ids = names.map((name, index) => world.inbox.add(name, [600 - index * 60]));
  return { world, ids, page: await world.visit() };
}

/** The first two get an answer and leave, another one writes and goes to the end, and a new person comes first. */
function reorder(world: ConsoleWorld, ids: readonly string[]): void {
  world.inbox.write(ids[0] ?? "", "ben", { text: "Answered" });
  world.inbox.write(ids[1] ?? "", "ben", { text: "Answered" });
  world.inbox.write(ids[2] ?? "", "person", { text: "One more" });
  const newcomer = world.inbox.add("New Comer", []);
  world.inbox.write(newcomer, "person", { text: "Hello?", at: Date.now() - 700 * 60_000 });
}

/** The frames of `reorder` have arrived: the title counts who waits. */
const arrived = (page: Page) => waitFor("the count of the title", async () => (await page.title()).startsWith("(4)"));

it("rows keep their places while the pointer rests on the list, and move once it leaves", async () => {
  const { world, ids, page } = await fivePeople();
  await rowOf(page, "Jon Moe").hover();
  const before = await shownRows(page);
  reorder(world, ids);
  await arrived(page);
  expect(await shownRows(page)).toEqual(before);
  expect(await page.locator(".waiting").innerText()).toBe("1 new");
  await page.mouse.move(1_000, 400);
  await waitFor("the new order", async () => (await shownIds(page)).length === 4);
  expect((await shownIds(page)).indexOf(ids[3] ?? "")).toBe(1);
});

it("a press that began on a row opens that row, although the order changed before the button was released", async () => {
  const { world, ids, page } = await fivePeople();
  await rowOf(page, "Ida Lund").hover();
  await page.mouse.down();
  reorder(world, ids);
  await arrived(page);
  await page.mouse.up();
  await page.locator(".thread-head h2", { hasText: "Ida Lund" }).waitFor();
});

it("no row moves under a finger that rests on the list", async () => {
  const { world, ids, page } = await fivePeople({ hasTouch: true });
  const box = await rowOf(page, "Ida Lund").boundingBox();
  if (!box) throw new Error("The row is not shown.");
  const before = await shownRows(page);
  const cdp = await page.context().newCDPSession(page);
  const touchPoints = [{ x: box.x + 100, y: box.y + 20 }];
  await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
  reorder(world, ids);
  await arrived(page);
  expect(await shownRows(page)).toEqual(before);
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
});

it("the row with the focus keeps it and its place, and Enter opens it", async () => {
  const { world, ids, page } = await fivePeople();
  for (let press = 0; press < 4; press++) await page.keyboard.press("j");
  await page.locator(`.row[data-conversation="${ids[3]}"]:focus`).waitFor();
  const before = await shownRows(page);
  reorder(world, ids);
  await arrived(page);
  expect(await shownRows(page)).toEqual(before);
  await page.keyboard.press("Enter");
  await page.locator(".thread-head h2", { hasText: "Jon Moe" }).waitFor();
});

it("new rows wait in a bar while somebody points at the list, and a press on it shows them", async () => {
  const { world, page } = await fivePeople();
  await page.locator(".tabs button", { hasText: "All" }).click();
  await rowOf(page, "Anna Berg").hover();
  world.inbox.write(world.inbox.add("New Comer", [700]), "person", { text: "Hello?" });
  await page.getByRole("button", { name: "1 new" }).click();
  await rowOf(page, "New Comer").waitFor();
  expect(world.complaints).toEqual([]);
});

it("an erased conversation leaves the list at once, also under the pointer", async () => {
  const { world, ids, page } = await fivePeople();
  await rowOf(page, "Jon Moe").hover();
  world.inbox.erase(ids[1] ?? "");
  await rowOf(page, "Ole Dahl").waitFor({ state: "detached" });
});

it("a row keeps its place when its conversation was answered while the connection was lost", async () => {
  const { world, ids, page } = await fivePeople();
  await rowOf(page, "Jon Moe").hover();
  const before = await shownRows(page);
  const frames = world.keepFrames();
  world.inbox.write(ids[0] ?? "", "ben", { text: "Answered" });
  frames();
  await page.waitForTimeout(STALE_MS);
  await page.evaluate('dispatchEvent(new Event("online"))');
  await waitFor("the count of the title", async () => (await page.title()).startsWith("(4)"));
  expect(await shownRows(page)).toEqual(before);
  await page.mouse.move(1_000, 400);
  await waitFor("the new order", async () => (await shownIds(page)).length === 4);
});
