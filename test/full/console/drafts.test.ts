import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { field, openRow, ownBubbles, rowOf, sendText } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// What a person has written stays until it is sent, erased or they sign out. Nothing else of a conversation is stored.

const browser = openedBrowser();
const DRAFT = "A half-written ans";

async function writing() {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  const page = await world.visit(anna);
  await field(page).fill(DRAFT);
  return { world, anna, ole, page };
}

const isStored = (page: Page) =>
  waitFor("the stored draft", () => page.evaluate<boolean>(`JSON.stringify(localStorage).includes("${DRAFT}")`));

const storedTexts = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    const databases = await indexedDB.databases();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, await caches.keys()]);
  })()`);

it("a draft outlives the switch to another conversation and shows in the list", async () => {
  const { page } = await writing();
  await openRow(page, "Ole Dahl");
  await rowOf(page, "Anna Berg").getByText(DRAFT).waitFor();
  await openRow(page, "Anna Berg");
  expect(await field(page).inputValue()).toBe(DRAFT);
});

it("a draft outlives a reload at once after the last letter", async () => {
  const { page } = await writing();
  await field(page).pressSequentially("wer");
  await page.reload();
  await field(page).waitFor();
  expect(await field(page).inputValue()).toBe(`${DRAFT}wer`);
});

it("what a draft replies to outlives a reload, and goes with the text; the browser stores no word of it", async () => {
  const { world, anna, page } = await writing();
  await page.locator(".m.in").last().hover();
  await page.locator(".m.in .answer").last().click();
  const quote = page.locator(".reply-line", { hasText: "Anna Berg writes 2" });
  await quote.waitFor();
  await isStored(page);
  expect(await storedTexts(page)).not.toContain("writes 2");
  await page.reload();
  await quote.waitFor();
  await openRow(page, "Ole Dahl");
  await quote.waitFor({ state: "detached" });
  await openRow(page, "Anna Berg");
  await field(page).press("Control+Enter");
  await quote.waitFor({ state: "detached" });
  await waitFor("the reply", () => world.callsOf("POST /v1/messages/reply")[0]);
  expect(world.callsOf("POST /v1/messages/reply").map(({ body }) => body)).toEqual([
    { conversation_id: anna, text: DRAFT, reply_to: "m_anna.berg_1" },
  ]);
  await page.locator('[data-send="sent"], .m.out').last().waitFor();
  await page.reload();
  await field(page).waitFor();
  expect(await quote.count()).toBe(0);
});

it.each(["a sign-out", "an erasure"])("%s removes what a draft replies to", async (how) => {
  const { world, anna, page } = await writing();
  await page.locator(".m.in").last().hover();
  await page.locator(".m.in .answer").last().click();
  const isQuoteStored = () => page.evaluate<boolean>('JSON.stringify({ ...localStorage }).includes("m_anna.berg_1")');
  await waitFor("the stored quote", isQuoteStored);
  if (how === "an erasure") {
    world.inbox.erase(anna);
    await rowOf(page, "Anna Berg").waitFor({ state: "detached" });
  } else {
    await page.getByRole("button", { name: "Profile" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/console\/auth\/sign-in/);
  }
  await waitFor("the end of the quote", async () => !(await isQuoteStored()));
});

it("a draft outlives the closing of its window, and shows in other ones", async () => {
  const { world, anna, page } = await writing();
  const other = await world.visit(anna);
  expect(await field(other).inputValue()).toBe(DRAFT);
  await field(page).fill(`${DRAFT}wer`);
  await waitFor("the draft of the other window", async () => (await field(other).inputValue()) === `${DRAFT}wer`);
  await page.close();
  await other.close();
  const later = await world.visit(anna);
  expect(await field(later).inputValue()).toBe(`${DRAFT}wer`);
});

it("a draft outlives the end of the session, which asks in a dialog over the page and goes on by itself", async () => {
  const { world, ole, page } = await writing();
  world.model.isSignedIn = false;
  await world.dropSocket();
  await rowOf(page, "Ole Dahl").click();
  await page.getByRole("dialog").getByText("Your session has ended").waitFor();
  await waitFor("a refused ticket", () => world.callsOf("POST /console/session/ws-ticket").length > 1);
  expect(page.url()).toContain("/app/acme/inbox/");
  world.model.isSignedIn = true;
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await world.reconnected();
  world.inbox.write(ole, "person", { text: "Still there?" });
  await page.locator(".m.in", { hasText: "Still there?" }).waitFor();
  await openRow(page, "Anna Berg");
  expect(await field(page).inputValue()).toBe(DRAFT);
});

it("a text whose send was refused because the session had ended is not lost by a reload", async () => {
  const { world, page } = await writing();
  world.model.isSignedIn = false;
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").getByText("Your session has ended").waitFor();
  world.model.isSignedIn = true;
  await page.reload();
  await field(page).waitFor();
  expect(await field(page).inputValue()).toBe(DRAFT);
});

it("a sign-out removes every draft", async () => {
  const { world, anna, page } = await writing();
  await isStored(page);
  world.model.sending.platformRefusal = "It is refused.";
  await openRow(page, "Ole Dahl");
  await sendText(page, "Refused");
  await page.locator('[data-send="failed"]').waitFor();
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/\/console\/auth\/sign-in/);
  expect(await storedTexts(page)).not.toContain(DRAFT);
  for (const text of ["Refused", anna]) expect(await storedTexts(page)).not.toContain(text);
});

it.each(["a colleague", "this person"])("an erasure by %s removes the draft", async (who) => {
  const { world, anna, page } = await writing();
  await isStored(page);
  if (who === "a colleague") {
    world.inbox.erase(anna);
  } else {
    await page.getByRole("button", { name: "Erase this person’s data" }).click();
    await page.getByLabel(/^Type/).fill("anna.berg");
    await page.getByRole("button", { name: "Erase", exact: true }).click();
  }
  await rowOf(page, "Anna Berg").waitFor({ state: "detached" });
  await waitFor("the end of the draft", async () => !(await storedTexts(page)).includes(DRAFT));
  expect(await storedTexts(page)).not.toContain("anna.berg");
});

it("the browser stores nothing of a conversation but the draft", async () => {
  const { world, anna, ole, page } = await writing();
  world.inbox.write(anna, "person", { text: "A secret idea" });
  await page.locator(".m.in", { hasText: "A secret idea" }).waitFor();
  await openRow(page, "Ole Dahl");
  await sendText(page, "An answer to Ole");
  await ownBubbles(page, "An answer to Ole").waitFor();
  world.inbox.write(ole, "person", { text: "Thanks a lot" });
  await page.locator(".m.in", { hasText: "Thanks a lot" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  await waitFor("the call", () => world.callsOf("PATCH /v1/conversations/{id}")[0]);
  await isStored(page);
  const stored = await storedTexts(page);
  for (const text of ["secret idea", "answer to Ole", "Thanks", "writes 1", "Anna Berg", "Ole Dahl", "ole.dahl"]) {
    expect(stored).not.toContain(text);
  }
  for (const text of ["mara@example.com", "csrf-token-of-the-model", "wst_"]) expect(stored).not.toContain(text);
  expect(stored).toContain(DRAFT);
  expect(world.complaints).toEqual([]);
});
