import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { type Frame, frame } from "../../web/console/support/frames.ts";
import { shownRows } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// Frames come late, twice, in any order and of unknown types, beside fetches: what is shown is what a fresh fetch shows.

const FRAMES = 2_000;
const browser = openedBrowser();

/** Numbers from 0 to 1: the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
}

/** What happens to the workspace: one frame or two. The last id is never erased. */
function step(world: ConsoleWorld, ids: readonly string[], random: () => number): void {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const { inbox } = world;
  const id = pick(ids.filter((each) => inbox.all.has(each)));
  const message = pick(inbox.get(id).messages);
  const text = `Text ${Math.floor(random() * 1e9)}`;
  const chance = random();
  if (chance < 0.45) inbox.write(id, "person", { text });
  else if (chance < 0.6) inbox.write(id, "ben", { text });
  else if (chance < 0.65) inbox.write(id, "app", { text });
  else if (chance < 0.75) inbox.setDone(id, random() < 0.7);
  else if (chance < 0.997) change(world, id, message.deleted_at === null ? message.id : null, { chance, text });
  else if (inbox.all.size > 20 && id !== ids.at(-1)) inbox.erase(id);
}

function change(
  world: ConsoleWorld,
  id: string,
  message: string | null,
  { chance, text }: { chance: number; text: string },
) {
  if (message === null) return;
  if (chance < 0.85) world.inbox.edit(id, message, text);
  else if (chance < 0.95) world.inbox.react(id, message, chance < 0.92 ? "👍" : null);
  else world.inbox.unsend(id, message);
}

async function showAll(page: Page): Promise<void> {
  await page.locator(".tabs button", { hasText: "All" }).click();
}

/** What the list and the thread show. Ages and times of the machine are left out. */
const shown = (page: Page): Promise<{ rows: string[]; messages: string[] }> =>
  page.evaluate(`(() => {
    const sorted = (selector, read) => [...document.querySelectorAll(selector)]
      .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
      .map(read);
    return {
      rows: sorted(".row", (row) => row.dataset.conversation + " " + row.className + " "
        + row.querySelector(".name").textContent + row.querySelector(".text").textContent),
      messages: sorted("[data-message]", (node) => node.dataset.message + " " + node.textContent),
    };
  })()`);

it.each([2, 3, 5])(
  "the page shows what a fresh fetch shows after random frames and fetches, and no row moves under the pointer (%i)",
  async (seed) => {
    const random = randomOf(seed);
    const world = await ConsoleWorld.open(browser, { viewport: { width: 1440, height: 6_000 } });
    const open = world.inbox.add("The Open One", [400, 300, 200]);
    const others = Array.from({ length: 39 }, (_, index) => world.inbox.add(`Person ${index}`, [60 + index * 30]));
    const page = await world.visit(open);
    if (seed % 2 === 0) await showAll(page);
    await waitFor("all rows", async () => (await shownRows(page)).length === 40);

    // The open one is never erased: its thread is compared.
    const ids = [...others, open, open, open];
    const late: Frame[] = [];
    let sent = 0;
    let held: Awaited<ReturnType<typeof shownRows>> | null = null;
    const send = (each: Frame) => {
      world.push(each);
      sent += 1;
    };
    while (sent < FRAMES) {
      if (random() < 0.1) {
        // Somebody points at the list for a while, or stops.
        if (held === null) {
          await page.mouse.move(200, 1_000);
          await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
          held = await shownRows(page);
        } else {
          await page.mouse.move(1_000, 2_000);
          held = null;
        }
      }
      const frames = world.keepFrames();
      for (let count = 0; count < 10; count++) step(world, ids, random);
      late.push(...frames());
      late.push(frame("something.new", { conversation: { id: open } }, Date.now()));
      late.sort(() => random() - 0.5);
      const due = late.splice(0, Math.ceil(late.length * random()));
      for (const each of due) {
        send(each);
        if (random() < 0.2) send(each);
        if (random() < 0.05) late.push(each);
      }
      if (random() < 0.08) await page.evaluate('dispatchEvent(new Event("online"))');
      if (random() < 0.02) {
        // Frames of this time are lost.
        await world.dropSocket();
        await world.reconnected();
      }
      if (held !== null) {
        const now = new Map((await shownRows(page)).map(({ id, top }) => [id, top]));
        const moved = held.filter(({ id, top }) => world.inbox.all.has(id) && now.get(id) !== top);
        const erased = held.some(({ id }) => !world.inbox.all.has(id));
        if (!erased) expect(moved).toEqual([]);
        else held = await shownRows(page);
      }
    }
    for (const each of late) send(each);
    await page.mouse.move(1_000, 2_000);
    // A frame after all others: once it is shown, all have been merged.
    world.inbox.write(open, "person", { text: "The end" });
    await page.locator(".m.in", { hasText: "The end" }).waitFor();
    const other = await world.visit(open);
    await other.locator(".m.in", { hasText: "The end" }).waitFor();
    if (seed % 2 === 0) await showAll(other);
    const listed = world.inbox.conversations().filter(({ needs_reply }) => seed % 2 === 0 || needs_reply).length;
    await waitFor("all rows of a fresh page", async () => (await shown(other)).rows.length === listed);
    const fresh = await shown(other);
    // The page has older messages than a fresh one.
    const newest = async () => {
      const { rows, messages } = await shown(page);
      return { rows, messages: messages.slice(-fresh.messages.length) };
    };
    await waitFor("what a fresh page shows", async () => JSON.stringify(await newest()) === JSON.stringify(fresh), {
      seconds: 5,
    }).catch(() => {});
    expect(await newest()).toEqual(fresh);
    expect(world.complaints).toEqual([]);
  },
);
