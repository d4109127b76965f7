import { beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { plantedIn, plantedText } from "../support/files/planted-characters.ts";
import { openedOnce } from "../support/opened.ts";
import { refusalReply, startCheckServer } from "./support/check-page-server.ts";
import { openedBrowser, pressButton, solvePuzzles, visitHold, waitForHeading } from "./support/page-visit.ts";
import { readableText } from "./support/readable-text.ts";

// The path of a person through the check page, in a real browser, under the page's content security policy.

const browser = openedBrowser();
const server = openedOnce(startCheckServer);
beforeEach(() => {
  server.calls.length = 0;
  server.clockSkew = 0;
});

const calledRoutes = () => server.calls.map((call) => call.route);

test("the page shows recipient and message, and sends the message once after one press", async () => {
  const hold = server.createHold({ puzzles: "real", text: "Hello Mara,\n\nit is ready." });
  const { page, requestedUrls, complaints } = await visitHold(browser, server, hold);
  await waitForHeading(page, "Check and send");
  const message = page.getByRole("region", { name: "Your message" });
  expect(await message.innerText()).toMatch(
    /To Mara Lindqvist\s+@mara.l on Instagram\s+Hello Mara,\n\nit is ready.\s+From\s+@harbor.tailors\s+Typed by\s+ann/,
  );
  await page.getByRole("button").dblclick();
  await waitForHeading(page, "Sent");
  expect(await page.locator("main").innerText()).toContain("was sent on Instagram");
  expect(hold.status).toBe("sent");
  expect(calledRoutes()).toEqual(["get", "challenge", "complete"]);
  expect(requestedUrls.filter((url) => new URL(url).origin !== server.origin)).toEqual([]);
  expect(complaints).toEqual([]);
});

test("the page only gets the hold before the press: waiting, pointing and moving the focus send nothing", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() });
  await waitForHeading(page, "Check and send");
  const button = await page.getByRole("button").boundingBox();
  for (let i = 0; i < 20; i++) await page.mouse.move((button?.x ?? 0) + i * 9, (button?.y ?? 0) + i);
  await page.keyboard.press("Tab");
  await page.clock.fastForward(5 * MINUTE);
  expect(await page.getByRole("timer").innerText()).toMatch(/^(10:00|9:5\d)$/);
  expect(calledRoutes()).toEqual(["get"]);
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page says why a person is asked", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ platform: "messenger" }));
  await waitForHeading(page, "Check and send");
  expect(await page.locator("main").innerText()).toContain(
    "Why you are asked: more than 24 hours after a person’s last message, Messenger accepts only messages that a person typed.",
  );
});

test("the page names no account, author or user name that it does not know, and a Messenger account without a sign", async () => {
  const unnamed = { accountHandle: null, actorId: "", username: null } as const;
  const { page } = await visitHold(browser, server, server.createHold(unnamed));
  await waitForHeading(page, "Check and send");
  expect(await page.locator("main").innerText()).not.toMatch(/From|Typed by|@/);
  const named = { platform: "messenger", accountHandle: "Harbor Tailors", actorId: "console:usr_1" };
  const { page: messenger } = await visitHold(browser, server, server.createHold(named));
  await waitForHeading(messenger, "Check and send");
  expect(await messenger.locator("dl").innerText()).toMatch(/From\s+Harbor Tailors\s+Typed by\s+console:usr_1/);
});

test("the page names the author by their name where it is known", async () => {
  const typed = server.createHold({ actorId: "console:usr_1", actorName: "Ada Lovelace" });
  const { page } = await visitHold(browser, server, typed);
  await waitForHeading(page, "Check and send");
  const facts = await page.locator("dl").innerText();
  expect(facts).toMatch(/Typed by\s+Ada Lovelace/);
  expect(facts).not.toContain("console:usr_1");
});

test("the page shows each attachment, links those with a URL and loads none of them", async () => {
  const attachments = [
    { type: "image", url: "https://example.com/uploads/blue%20jacket.jpg?key=1" },
    { type: "image", url: null },
    { type: "file", url: "javascript:alert(1)" },
  ];
  const { page, requestedUrls } = await visitHold(browser, server, server.createHold({ text: "", attachments }));
  await waitForHeading(page, "Check and send");
  const list = page.getByRole("list", { name: "Attachments: 3" });
  expect(await list.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^blue jacket.jpg\s+Image · example.com\s+opens in a new tab$/),
    expect.stringMatching(/^Image\s+Uploaded$/),
    expect.stringMatching(/^File\s+Uploaded$/),
  ]);
  const link = list.getByRole("link");
  expect(await link.count()).toBe(1);
  expect(await link.getAttribute("href")).toBe("https://example.com/uploads/blue%20jacket.jpg?key=1");
  expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual([
    "_blank",
    "noopener noreferrer",
  ]);
  expect(await page.locator("#text").isVisible()).toBe(false);
  expect(requestedUrls.filter((url) => new URL(url).origin !== server.origin)).toEqual([]);
});

test("the page removes the secret from the address bar at once and stores it only in the history of the tab", async () => {
  const hold = server.createHold();
  const { page, requestedUrls } = await visitHold(browser, server, hold);
  await waitForHeading(page, "Check and send");
  expect(page.url()).toBe(`${server.origin}/verify?hold=${hold.id}`);
  expect(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")).toBe(0);
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(hold.secret);
  expect(await page.evaluate("history.state")).toEqual({ secret: hold.secret });
  expect(requestedUrls.slice(1).filter((url) => url.includes(hold.secret))).toEqual([]);
  await page.goto(`${server.origin}/verify/check.css`);
  await page.goBack();
  expect(page.url()).not.toContain("#");
});

test("the page survives a reload, forgets the secret when the message is sent, and then shows the end without a request", async () => {
  const hold = server.createHold();
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "Check and send");
  await page.reload();
  await waitForHeading(page, "Check and send");
  expect(page.url()).not.toContain(hold.secret);
  await pressButton(page);
  await waitForHeading(page, "Sent");
  expect(JSON.stringify(await page.evaluate("history.state"))).not.toContain(hold.secret);
  server.calls.length = 0;
  await page.reload();
  await waitForHeading(page, "Already sent");
  expect(server.calls).toEqual([]);
});

test("the page works when the link is opened again in the same tab, also after the end", async () => {
  const hold = server.createHold();
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "Check and send");
  await page.goto(server.linkTo(hold));
  await waitForHeading(page, "Check and send");
  expect(page.url()).not.toContain(hold.secret);
  await pressButton(page);
  await waitForHeading(page, "Sent");
  server.calls.length = 0;
  await page.goto(server.linkTo(hold));
  await waitForHeading(page, "Already sent");
  expect(calledRoutes()).toEqual(["get"]);
});

test("the page says how long the check still takes after five seconds of work, not before", async () => {
  server.replyNext("complete", refusalReply(409, "hold_expired", "sent"));
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now(), idleWorkers: true });
  await waitForHeading(page, "Check and send");
  await pressButton(page);
  await page.getByRole("button", { name: "Checking…" }).waitFor();
  await solvePuzzles(page, 5);
  expect(await page.locator("#solved").innerText()).toBe("Checking: 10%");
  await page.clock.fastForward(7 * SECOND);
  await solvePuzzles(page, 10);
  expect(await page.locator("#solved").innerText()).toMatch(/^Checking: 30%, about (15|20) s left$/);
  await solvePuzzles(page, 35);
  await waitForHeading(page, "Already sent");
});

test("the page updates the bar and the number with the puzzles while the button keeps the focus and is disabled", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await waitForHeading(page, "Check and send");
  await page.evaluate(`(() => {
    window.seen = { bar: [], numbers: [], words: [] };
    const bar = document.querySelector("progress");
    const number = document.querySelector("#solved");
    const words = document.querySelector("[role=status]");
    const numbers = () => seen.numbers.push([number.innerText, "Checking: " + Math.floor(100 * bar.value / bar.max) + "%"]);
    new MutationObserver(numbers).observe(number, { childList: true });
    new MutationObserver(() => seen.bar.push(bar.value)).observe(bar, { attributes: true });
    new MutationObserver(() => seen.words.push(words.textContent)).observe(words, { childList: true });
  })()`);
  const release = server.delayNext("complete");
  await pressButton(page);
  await page.getByText("The check is complete. Sending…").waitFor();
  expect(await page.getByRole("button").getAttribute("aria-disabled")).toBe("true");
  expect(await page.evaluate("document.activeElement.id")).toBe("go");
  await page.getByRole("button").press("Enter");
  release();
  await waitForHeading(page, "Sent");
  const progress = await page.evaluate<{ bar: number[]; numbers: [string, string][]; words: string[] }>("seen");
  expect(new Set(progress.bar).size).toBeGreaterThan(3);
  expect(new Set(progress.numbers.map(([number]) => number)).size).toBeGreaterThan(5);
  for (const [number, bar] of progress.numbers) expect(number).toBe(bar);
  expect(progress.words).toEqual(
    expect.arrayContaining(["Checking: 25%", "Checking: 75%", "The check is complete. Sending…"]),
  );
  expect(calledRoutes()).toEqual(["get", "challenge", "complete"]);
});

test("the page calls a test message a test before and after, and never says that it was sent", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ test: true }));
  await waitForHeading(page, "Check and send");
  expect(await page.locator("main").innerText()).toContain("Test: no one receives this message");
  await pressButton(page);
  await waitForHeading(page, "Test passed");
  expect(await page.locator("main").innerText()).not.toMatch(/(been|was) sent/);
});

test("the page works with the keyboard alone and leaves the focus on the final heading", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await waitForHeading(page, "Check and send");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.id")).toBe("go");
  expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  await page.keyboard.press("Enter");
  await waitForHeading(page, "Sent");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Sent");
});

test("the page sends from one of two tabs pressed at the same time, and the other says that the message was sent", async () => {
  const hold = server.createHold();
  const tabs = await Promise.all([1, 2].map(() => visitHold(browser, server, hold, { newTab: true })));
  const release = server.delayNext("complete");
  for (const { page } of tabs) await pressButton(page);
  await waitFor(
    "both tabs request the send",
    () => calledRoutes().filter((route) => route === "complete").length === 2,
  );
  release();
  const ends = await Promise.all(
    tabs.map(async ({ page }) => {
      await page
        .getByRole("heading", { name: /sent/i })
        .and(page.locator(":not(:text-is('Check and send'))"))
        .waitFor();
      return page.getByRole("heading").innerText();
    }),
  );
  expect(ends.sort()).toEqual(["Already sent", "Sent"]);
});

test("the page shows the time left by the server's clock on a device with a wrong clock, and lets the server decide the expiry", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() + 180 * MINUTE });
  await waitForHeading(page, "Check and send");
  expect(await page.getByRole("timer").innerText()).toMatch(/^(15:00|14:5\d)$/);
  await page.clock.fastForward(14 * MINUTE + 20 * SECOND);
  await page.getByRole("status").getByText("Less than a minute left.").waitFor({ state: "attached" });
  // The clock of the page has run out, but the hold is still open on the server, so the question stays.
  await page.clock.fastForward(MINUTE);
  await waitFor("the page asks the server", () => calledRoutes().length === 2);
  await waitForHeading(page, "Check and send");
  server.clockSkew = 16 * MINUTE;
  await waitFor("the page says that time ran out", async () => {
    await page.clock.fastForward(16 * MINUTE);
    // Another leap would end the request that the page makes now: its time-out is measured by the page's clock.
    const heading = page.getByRole("heading", { name: "Time ran out" });
    return heading.waitFor({ timeout: 4_000 }).then(
      () => true,
      () => false,
    );
  });
  expect(await page.locator("main").innerText()).toContain("Nothing was sent.");
});

test("the page requests a new challenge without a second press when one expires while it is solved", async () => {
  const hold = server.createHold();
  server.replyNext("complete", refusalReply(400, "invalid_request", "challenge_expired"));
  const { page } = await visitHold(browser, server, hold);
  await pressButton(page);
  await waitForHeading(page, "Sent");
  expect(calledRoutes()).toEqual(["get", "challenge", "complete", "challenge", "complete"]);
});

test("the page stops after three expired challenges", async () => {
  for (let i = 0; i < 3; i++) server.replyNext("complete", refusalReply(400, "invalid_request", "challenge_expired"));
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "The check failed");
  await pressButton(page, "Try again");
  await waitForHeading(page, "Check and send");
});

test("the page shows what others wrote without planted characters, and the message on its lines", async () => {
  const attachments = [
    { type: "image", url: `https://example.com/${encodeURIComponent("a\u202egnp.exe\u200b")}` } as const,
  ];
  const text = `${plantedText("Hello", "end")}\nsecond line`;
  const [displayName, username] = [plantedText("Mara", "L"), plantedText("mara", "l")];
  const names = { displayName, username, accountHandle: plantedText("harbor", "t"), actorId: plantedText("an", "n") };
  const { page } = await visitHold(browser, server, server.createHold({ ...names, text, attachments }));
  await waitForHeading(page, "Check and send");
  expect(plantedIn(await readableText(page))).toEqual([]);
  expect(await page.locator("#text").innerText()).toMatch(/^Hello.*end\nsecond line$/s);
  expect(await page.locator("#attachments bdi").innerText()).toBe("agnp.exe");
  await pressButton(page);
  await waitForHeading(page, "Sent");
  // The page itself isolates the name, so that its direction changes nothing in the sentence.
  const sentence = /message to \u2068Mara .*L\u2069 was sent on Instagram/s;
  const shown = await readableText(page);
  expect(shown).toMatch(sentence);
  expect(plantedIn(shown.replace(sentence, (part) => part.replace(/\u2068([^\u2069]*)\u2069/, "$1")))).toEqual([]);
  const error = { code: "send_failed", message: "No.", detail: plantedText("(#100) Too", "long") };
  const refused = await visitHold(browser, server, server.createHold({ outcome: "failed", error }));
  await pressButton(refused.page);
  await waitForHeading(refused.page, "Not sent");
  expect(await refused.page.locator("#quote-text").innerText()).toMatch(/^\(#100\) Too.*long$/);
  expect(plantedIn(await readableText(refused.page))).toEqual([]);
});

test("the page shows data from the server as text, even if it looks like markup", async () => {
  const markup = '<img src="https://example.com/x.png" onerror="document.title=1"><script>1</script>';
  const { page, requestedUrls } = await visitHold(
    browser,
    server,
    server.createHold({ displayName: markup, text: markup }),
  );
  await waitForHeading(page, "Check and send");
  expect(await page.locator("#text").innerText()).toBe(markup);
  expect(await page.locator("#name").innerText()).toBe(markup);
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(requestedUrls.every((url) => url.startsWith(server.origin))).toBe(true);
});
