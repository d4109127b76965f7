import { expect, it } from "vitest";
import type { Message } from "../../../../web/console/data/types.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { ConsoleWorld } from "../../../web/console/support/console-world.ts";
import { openRow, rowOf } from "../../../web/console/support/inbox-page.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { messageOf, openWorld, personOf } from "../support/small-world.ts";

// The words of a thread and of the list for what is no plain text, and for what could not be loaded.

const THREAD = "GET /v1/conversations/{id}";
const GONE = "https://scontent.fbcdn.net/gone";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

const NEW = "New since you looked";
/** Lets a page look hidden, and shown again. */
const VISIBILITY = `
  let hidden = false;
  Object.defineProperty(document, "visibilityState", { get: () => (hidden ? "hidden" : "visible") });
  window.setHidden = (value) => { hidden = value; document.dispatchEvent(new Event("visibilitychange")); };
`;

async function openPair() {
  const world = await ConsoleWorld.open(browser);
  await world.context.addInitScript(VISIBILITY);
  const anna = world.inbox.add("Anna Berg", [30, 20]);
  const ole = world.inbox.add("Ole Dahl", [300]);
  return { world, anna, ole, page: await world.visit(anna) };
}

it("the line of what is new stands before what came while another conversation was open, and goes with the next look", async () => {
  const { world, anna, page } = await openPair();
  expect(await page.getByText(NEW).count()).toBe(0);
  await openRow(page, "Ole Dahl");
  world.inbox.write(anna, "person", { text: "Came in between" });
  await openRow(page, "Anna Berg");
  await page.getByText(NEW).waitFor();
  const order: string[] = await page.evaluate(`[...document.querySelectorAll(".msgs > div")]
    .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).map((node) => node.textContent)`);
  const line = order.indexOf(NEW);
  expect(order[line + 1]).toContain("Came in between");
  expect(order[line - 1]).toContain("Anna Berg writes 2");
  await openRow(page, "Ole Dahl");
  await openRow(page, "Anna Berg");
  await page.locator(".m.in", { hasText: "Came in between" }).waitFor();
  expect(await page.getByText(NEW).count()).toBe(0);
});

it("a message that arrives while one looks has no line before it, and one that came to a hidden page has", async () => {
  const { world, anna, page } = await openPair();
  world.inbox.write(anna, "person", { text: "Arrives now" });
  await page.locator(".m.in", { hasText: "Arrives now" }).waitFor();
  expect(await page.getByText(NEW).count()).toBe(0);
  await page.evaluate("setHidden(true)");
  world.inbox.write(anna, "person", { text: "Came unseen" });
  await page.locator(".m.in", { hasText: "Came unseen" }).waitFor();
  await page.evaluate("setHidden(false)");
  await page.getByText(NEW).waitFor();
  // Looked at once, it is not new the next time.
  await page.waitForTimeout(300);
  await page.evaluate("setHidden(true)");
  await page.evaluate("setHidden(false)");
  await page.getByText(NEW).waitFor({ state: "detached" });
  expect(world.complaints).toEqual([]);
});

it("a window that comes to the front fetches the open thread, but not again within a few seconds", async () => {
  const { world, anna, page } = await openPair();
  const frames = world.keepFrames();
  world.inbox.write(anna, "ben", { text: "Answered without a frame" });
  frames();
  const before = world.callsOf(THREAD).length;
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.waitForTimeout(300);
  expect(world.callsOf(THREAD).length).toBe(before);
  await page.waitForTimeout(5_000);
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await page.locator(".m.out", { hasText: "Answered without a frame" }).waitFor();
  expect(world.callsOf(THREAD).length).toBe(before + 1);
});

it("an older page of a thread that fails has words and a way on, and no endless requests", async () => {
  const world = await ConsoleWorld.open(browser);
  const minutes = Array.from({ length: 120 }, (_, index) => 2_000 - index * 10);
  const page = await world.visit(world.inbox.add("Long Thread", minutes));
  await page.locator(".m.in", { hasText: "Long Thread writes 120" }).waitFor();
  const succeed = world.fail(THREAD, { status: 403, code: "forbidden" }, 1_000);
  const toTop = () => page.evaluate('document.querySelector(".scroll").scrollTop = 0');
  await toTop();
  const problem = page.getByRole("alert").filter({ hasText: "Older messages could not be loaded." });
  await problem.waitFor();
  await problem.getByText("Your role does not allow this.").waitFor();
  const before = world.callsOf(THREAD).length;
  for (let scroll = 0; scroll < 5; scroll++) {
    await page.evaluate(`document.querySelector(".scroll").scrollTop = ${scroll % 2 === 0 ? 60 : 0}`);
    await page.waitForTimeout(60);
  }
  expect(world.callsOf(THREAD).length).toBe(before);
  succeed();
  await page.locator(".start").getByRole("button", { name: "Try again" }).click();
  await waitFor("the oldest message", async () => {
    await toTop();
    return (await page.locator('[data-message="m_long.thread_0"]').count()) > 0;
  });
  expect(await problem.count()).toBe(0);
});

it("a loaded thread that cannot be fetched again says that messages may be missing, and a press fetches it", async () => {
  const { world, anna, page } = await openPair();
  await openRow(page, "Ole Dahl");
  const frames = world.keepFrames();
  world.inbox.write(anna, "person", { text: "Came unseen" });
  frames();
  const succeed = world.fail(THREAD, { status: 400, code: "invalid_request" }, 1_000);
  await openRow(page, "Anna Berg");
  const problem = page.getByRole("alert").filter({ hasText: "New messages may be missing." });
  await problem.waitFor();
  await page.locator(".m.in", { hasText: "Anna Berg writes 2" }).waitFor();
  succeed();
  await problem.getByRole("button", { name: "Try again" }).click();
  await page.locator(".m.in", { hasText: "Came unseen" }).waitFor();
  await problem.waitFor({ state: "detached" });
});

it("a colleague is a former one only once the team is known", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add("Anna Berg", [30]);
  world.inbox.write(anna, "ben", { text: "Of Ben" });
  world.inbox.write(anna, "ben", { text: "Of somebody who left", more: { actor_id: "console:usr_left" } });
  const succeed = world.fail("GET /console/team", { status: 500, code: "internal_error" }, 1_000);
  const page = await world.visit(anna);
  const authorOf = (text: string) => page.locator(".m.out", { hasText: text }).locator(".meta");
  await waitFor("a colleague", async () => (await authorOf("Of Ben").innerText()).includes("a colleague"));
  expect(await authorOf("Of somebody who left").innerText()).toContain("a colleague");
  succeed();
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
  await waitFor("Ben", async () => (await authorOf("Of Ben").innerText()).includes("Ben"));
  expect(await authorOf("Of somebody who left").innerText()).toContain("a former colleague");
});

it("a name that the browser may not copy is shown instead", async () => {
  const { page } = await openPair();
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  await page.getByRole("button", { name: "Copy name" }).click();
  await page.locator(".notice.problem", { hasText: "Your browser does not allow copying" }).waitFor();
  expect(await page.locator(".notice").innerText()).toContain("Anna Berg");
});

const attachment = (type: string, more: object = {}) => ({ type, url: null, title: null, coordinates: null, ...more });
const of = (text: string, attachments: object[], more: object = {}): Partial<Message> =>
  ({ text, attachments, ...more }) as never;

const messages: readonly {
  readonly name: string;
  readonly message: Partial<Message>;
  readonly words: string | RegExp;
}[] = [
  {
    name: "a reply to a story that is over",
    message: of("So nice", [], { story: { kind: "reply", url: null, id: "s" } }),
    words: "Replied to your story Story no longer available So nice",
  },
  {
    name: "a reply to a story whose picture has gone",
    message: of("So nice", [], { story: { kind: "reply", url: GONE, id: "s" } }),
    words: "Replied to your story Story no longer available So nice",
  },
  {
    name: "a mention in a story that is over",
    message: of("", [attachment("story_mention")], { story: { kind: "mention", url: null, id: "s" } }),
    words: "Mentioned you in a story Story no longer available",
  },
  {
    name: "a message that only the app shows",
    message: of("", [attachment("unsupported")]),
    words: "Instagram shows this message only in its app. Open Instagram",
  },
  { name: "a picture without an address", message: of("", [attachment("image")]), words: "No longer available" },
  {
    name: "a picture that has gone",
    message: of("", [attachment("image", { url: GONE })]),
    words: "No longer available",
  },
  {
    name: "a video that has gone",
    message: of("", [attachment("video", { url: GONE })]),
    words: "No longer available",
  },
  {
    name: "a voice message that has gone",
    message: of("", [attachment("audio", { url: GONE })]),
    words: "No longer available",
  },
  {
    name: "a sticker that has gone",
    message: of("", [attachment("sticker", { url: GONE })]),
    words: "No longer available",
  },
  { name: "a heart, which has no picture", message: of("❤", [attachment("sticker")]), words: "❤" },
  {
    name: "a file without an address",
    message: of("", [attachment("file", { title: "terms.pdf" })]),
    words: "No longer available",
  },
  {
    name: "a place",
    message: of("", [attachment("location", { title: "Harbour", coordinates: { lat: 59.9, long: 10.7 } })]),
    words: "Harbour",
  },
  {
    name: "a message that was taken back",
    message: of("Secret", [], { deleted_at: new Date().toISOString() }),
    words: "Message unsent",
  },
  {
    name: "a reply to a message that is not loaded",
    message: of("This one", [], { reply_to: "older" }),
    words: "In reply to a message that is not loaded This one",
  },
  {
    name: "a press of a button",
    message: of("", [], { postback: { title: "Prices", payload: "P" } }),
    words: "Pressed: Prices",
  },
  {
    name: "a text that was longer than what is stored",
    message: of("The first part", [], { text_truncated: true }),
    words: /^The first part The text was longer\. Open (Instagram|Messenger)$/,
  },
  { name: "a message of nothing", message: of("", []), words: "A message without text" },
];

it.each(messages)("$name has its words in the thread", async ({ message, words }) => {
  const world = await openWorld(browser, server);
  world.add(personOf("993", 1), [messageOf("m1", "993", message)]);
  await world.openThread("993");
  const shown = world.page.locator('[data-message="m1"] .line');
  await shown.waitFor();
  const shownWords = async () => (await shown.innerText()).replace(/\s+/g, " ").trim();
  await expect.poll(shownWords).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
  expect(world.complaints).toEqual([]);
});

it("a message that only the app shows has a link to the app, which learns nothing of the page", async () => {
  const world = await openWorld(browser, server);
  world.add(personOf("993", 1), [messageOf("m1", "993", of("", [attachment("unsupported")]))]);
  await world.openThread("993");
  const link = world.page.getByRole("link", { name: "Open Instagram" });
  expect(await link.getAttribute("href")).toBe("https://www.instagram.com/direct/inbox/");
  expect(await link.getAttribute("rel")).toBe("noreferrer");
});

it("a press on a quote shows its message", async () => {
  const world = await ConsoleWorld.open(browser);
  const anna = world.inbox.add(
    "Anna Berg",
    Array.from({ length: 45 }, (_, index) => 900 - index * 10),
  );
  world.inbox.write(anna, "person", { text: "I mean this", more: { reply_to: "m_anna.berg_2" } });
  const page = await world.visit(anna);
  const first = page.locator('[data-message="m_anna.berg_2"]');
  expect(await first.count()).toBe(0);
  await page.locator(".m.in", { hasText: "I mean this" }).getByRole("button", { name: "Anna Berg writes 3" }).click();
  await page.locator('.marked[data-message="m_anna.berg_2"]').waitFor();
  await waitFor("the message in view", async () => {
    const box = await first.boundingBox();
    return box !== null && box.y > 50 && box.y < 800;
  });
});

const kinds = [
  ["image", "Photo"],
  ["video", "Video"],
  ["audio", "Voice message"],
  ["file", "File"],
  ["share", "Shared post"],
  ["story_mention", "Mentioned you in a story"],
  ["sticker", "Sticker"],
  ["location", "Location"],
  ["unsupported", "A message that the app shows"],
  ["unsent", "Message unsent"],
  ["a_kind_of_the_future", "Message"],
] as const;

it("each kind of the last message has its words in the list, and the business's own say whose they are", async () => {
  const world = await openWorld(browser, server);
  kinds.forEach(([kind], index) => {
    const last_message = { direction: "inbound", kind } as never;
    world.add(personOf("abcdefghijkl"[index] ?? "", 1 + index, { last_message, last_message_text: "" }));
  });
  const answer = { last_message: { direction: "outbound", kind: "image" }, last_message_text: "" } as never;
  world.add(personOf("98", 20, { ...(answer as object), needs_reply: true }));
  await world.open();
  for (const [index, [, words]] of kinds.entries()) {
    expect(await rowOf(world.page, `Person ${"abcdefghijkl"[index]} `).locator(".text").innerText()).toBe(words);
  }
  const own = rowOf(world.page, "Person 98").locator(".text");
  expect(await own.getByLabel("You:").count()).toBe(1);
  expect(await own.innerText()).toBe("Photo");
});
