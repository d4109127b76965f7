import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { openRow, ownBubbles, sendText, watchMost } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// A bubble says what is known of its message, and a repetition by hand sends nothing twice.

const REPLY = "POST /v1/messages/reply";
const browser = openedBrowser();

async function openThread() {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  world.inbox.add("Ole Dahl", [300]);
  return { world, anna, page: await world.visit(anna) };
}

/** The states of the messages that the thread does not show yet. */
const sendStates = (page: Page): Promise<string[]> =>
  page.evaluate('[...document.querySelectorAll("[data-send]")].map((node) => node.dataset.send)');

const keysOf = (world: ConsoleWorld) => world.callsOf(REPLY).map(({ headers }) => headers["idempotency-key"]);

const sentTexts = (world: ConsoleWorld, id: string) =>
  world.inbox
    .get(id)
    .messages.filter(({ direction }) => direction === "outbound")
    .map(({ text }) => text);

it("a bubble stands at once, is sent with the answer, and is the message once its frame comes", async () => {
  const { world, page } = await openThread();
  const release = world.keepBack(REPLY);
  const frames = world.keepFrames();
  const most = await watchMost(page, ".m.out", "Good morning");
  await sendText(page, "Good morning");
  await waitFor("the bubble", async () => (await sendStates(page))[0] === "sending");
  release();
  await waitFor("the answer", async () => (await sendStates(page))[0] === "sent");
  for (const frame of frames()) world.push(frame);
  await waitFor("the frame", async () => (await sendStates(page)).length === 0);
  expect(await ownBubbles(page, "Good morning").count()).toBe(1);
  expect(await most()).toBe(1);
});

it("a frame that comes before the answer is the message, and the answer adds no second one", async () => {
  const { world, page } = await openThread();
  const release = world.keepBack(REPLY);
  const most = await watchMost(page, ".m.out", "Good morning");
  await sendText(page, "Good morning");
  await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
  release();
  await sendText(page, "And welcome");
  await page.locator(".m.out[data-message]", { hasText: "And welcome" }).waitFor();
  expect(await ownBubbles(page, "Good morning").count()).toBe(1);
  expect(await most()).toBe(1);
  expect(await sendStates(page)).toEqual([]);
});

it("two messages with one text are two bubbles, whichever frame comes first", async () => {
  const { world, anna, page } = await openThread();
  const frames = world.keepFrames();
  await sendText(page, "Yes");
  await sendText(page, "Yes");
  await waitFor("both answers", async () => (await sendStates(page)).join() === "sent,sent");
  for (const frame of frames().reverse()) world.push(frame);
  await waitFor("both frames", async () => (await sendStates(page)).length === 0);
  expect(await ownBubbles(page, "Yes").count()).toBe(2);
  expect(sentTexts(world, anna)).toEqual(["Yes", "Yes"]);
});

it("a refused message shows the platform's words, and is sent again with a new key", async () => {
  const { world, anna, page } = await openThread();
  world.model.sending.platformRefusal = "(#551) This person isn't available right now.";
  await sendText(page, "Good morning");
  const bubble = page.locator('[data-send="failed"]');
  await bubble.waitFor();
  expect(await bubble.innerText()).toMatch(
    /Not sent: the platform refused it\..*\(#551\) This person isn't available/s,
  );
  await bubble.getByRole("button", { name: "Send again" }).click();
  await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
  expect(new Set(keysOf(world)).size).toBe(2);
  expect(sentTexts(world, anna)).toEqual(["Good morning"]);
});

it("the text of a refused message goes back into the field by Edit", async () => {
  const { world, page } = await openThread();
  world.model.sending.platformRefusal = "It is refused.";
  await sendText(page, "Good mornig");
  await page.locator('[data-send="failed"]').getByRole("button", { name: "Edit" }).click();
  expect(await page.locator("textarea").inputValue()).toBe("Good mornig");
  expect(await sendStates(page)).toEqual([]);
  expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
});

it("a message whose answer was lost may have arrived, and checking again with its key sends nothing twice", async () => {
  const { world, anna, page } = await openThread();
  world.fail(REPLY, "lost");
  const frames = world.keepFrames();
  await sendText(page, "Good morning");
  const bubble = page.locator('[data-send="unknown"]');
  await bubble.waitFor();
  expect(await bubble.innerText()).toContain("May have arrived.");
  expect(world.callsOf(REPLY)).toHaveLength(1);
  await bubble.getByRole("button", { name: "Check again" }).click();
  await waitFor("the stored answer", async () => (await sendStates(page))[0] === "sent");
  for (const frame of frames()) world.push(frame);
  await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
  expect(new Set(keysOf(world)).size).toBe(1);
  expect(world.callsOf(REPLY)[1]?.body).toEqual(world.callsOf(REPLY)[0]?.body);
  expect(sentTexts(world, anna)).toEqual(["Good morning"]);
  expect(await ownBubbles(page, "Good morning").count()).toBe(1);
});

it.each([
  ["the platform's outcome is unknown", { status: 502, code: "send_failed", detail: "outcome_unknown" }],
  ["the server fails", { status: 500, code: "internal_error" }],
  ["no connection stands", "refused"],
  ["a Wi-Fi page answers", "page"],
] as const)(
  "a message stays unknown while %s, is not repeated by itself, and is sent once by hand",
  async (_, failure) => {
    const { world, anna, page } = await openThread();
    const mend = world.fail(REPLY, failure, Number.POSITIVE_INFINITY);
    await sendText(page, "Good morning");
    const bubble = page.locator('[data-send="unknown"]');
    await bubble.waitFor();
    await openRow(page, "Ole Dahl");
    await openRow(page, "Anna Berg");
    await bubble.getByRole("button", { name: "Check again" }).click();
    await waitFor("the second call", () => world.callsOf(REPLY).length === 2);
    await bubble.waitFor();
    mend();
    await bubble.getByRole("button", { name: "Check again" }).click();
    await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
    expect(world.callsOf(REPLY)).toHaveLength(3);
    expect(new Set(keysOf(world)).size).toBe(1);
    expect(sentTexts(world, anna)).toEqual(["Good morning"]);
    expect(world.complaints).toEqual([]);
  },
);

it("a message whose answer was lost may have arrived after a reload too, until its thread shows it", async () => {
  const { world, anna, page } = await openThread();
  world.fail(REPLY, "lost");
  const frames = world.keepFrames();
  await sendText(page, "Good morning");
  await page.locator('[data-send="unknown"]').waitFor();
  frames();
  await page.reload();
  await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
  await waitFor("no open send", async () => (await sendStates(page)).length === 0);
  expect(await page.evaluate('localStorage.getItem("parley.drafts")')).not.toContain("Good morning");
  expect(sentTexts(world, anna)).toEqual(["Good morning"]);
  expect(world.complaints).toEqual([]);
});

it("a message that did not arrive before a reload is sent once by a press after it", async () => {
  const { world, anna, page } = await openThread();
  world.fail(REPLY, "refused");
  await sendText(page, "Good morning");
  await page.locator('[data-send="unknown"]').waitFor();
  await page.reload();
  const bubble = page.locator('[data-send="unknown"]', { hasText: "Good morning" });
  await bubble.waitFor();
  expect(sentTexts(world, anna)).toEqual([]);
  await bubble.getByRole("button", { name: "Check again" }).click();
  await page.locator(".m.out[data-message]", { hasText: "Good morning" }).waitFor();
  expect(sentTexts(world, anna)).toEqual(["Good morning"]);
  expect(new Set(keysOf(world)).size).toBe(1);
});

it("a held message is sent by the second press alone, after the check in the page", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [60 * 30]);
  const page = await world.visit(anna);
  await sendText(page, "A day later");
  await page.getByRole("button", { name: "Send as Mara" }).waitFor();
  expect(sentTexts(world, anna)).toEqual([]);
  await page.reload();
  await page.getByRole("button", { name: "Send as Mara" }).click();
  await page.locator(".m.out[data-message]", { hasText: "A day later" }).waitFor();
  const holds = world.callsOf("POST /v1/messages/human-agent");
  expect(new Set(holds.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  expect(sentTexts(world, anna)).toEqual(["A day later"]);
  expect(await ownBubbles(page, "A day later").count()).toBe(1);
  expect(world.complaints).toEqual([]);
});
