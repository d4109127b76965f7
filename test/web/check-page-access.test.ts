import { expect, inject, test } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { openedOnce } from "../support/opened.ts";
import { accessibilityViolations } from "./support/accessibility.ts";
import { type CheckServer, refusalReply, startCheckServer } from "./support/check-page-server.ts";
import { measureContrasts } from "./support/contrast.ts";
import { openedBrowser, pressButton, solvePuzzles, visitHold, waitForHeading } from "./support/page-visit.ts";

// Accessibility of the check page: screen readers, contrast, reduced motion, dark mode and small phones.

const browser = openedBrowser();
const server = openedOnce(startCheckServer);

const image = { type: "image", url: "https://example.com/jacket.jpg" } as const;

test("the page has a language, a title, one heading and accessible names", async () => {
  const hold = server.createHold({ attachments: [image] });
  const { page } = await visitHold(browser, server, hold, { clockAt: Date.now() });
  await waitForHeading(page, "Check and send");
  expect(await page.title()).toBe("Check and send");
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await page.locator("meta[name=viewport]").getAttribute("content")).not.toMatch(/maximum-scale|user-scalable/);
  const snapshot = (await page.locator("body").ariaSnapshot()).replace(/timer "Time left [\d:]+"(: .*)?/, "timer");
  expect(snapshot).toBe(
    [
      "- main:",
      '  - img "Parley"',
      '  - heading "Check and send" [level=1]',
      "  - paragraph: Nothing is sent until you press the button.",
      '  - region "Your message":',
      "    - paragraph: To Mara Lindqvist @mara.l on Instagram",
      "    - paragraph: Hello Mara, your order is ready.",
      "    - 'list \"Attachments: 1\"':",
      "      - listitem:",
      '        - link "jacket.jpg Image · example.com opens in a new tab":',
      "          - /url: https://example.com/jacket.jpg",
      "    - term: From",
      '    - definition: "@harbor.tailors"',
      "    - term: Typed by",
      "    - definition: ann",
      '  - button "Check and send"',
      "  - status: Your message is ready to review.",
      "  - paragraph:",
      "    - text: Time left",
      "    - timer",
      "  - paragraph:",
      '    - strong: "Why you are asked:"',
      "    - text: more than 24 hours after a person’s last message, Instagram accepts only messages that a person typed. Before yours is sent, your browser solves puzzles for a few seconds.",
    ].join("\n"),
  );
  const release = server.delayNext("challenge");
  await pressButton(page);
  await page.getByRole("progressbar", { name: "Check" }).waitFor();
  release();
  await waitForHeading(page, "Sent");
  expect(await page.title()).toBe("Sent · Check and send");
});

test("the page shows a frame before its script runs and while the service answers, and a hint when that takes long", async () => {
  const script = Promise.withResolvers<void>();
  const { page } = await visitHold(browser, server, server.createHold());
  await page.goto("about:blank");
  await page.route("**/verify/check.js", async (route) => {
    await script.promise;
    await route.continue();
  });
  const release = server.delayNext("get");
  await page.goto(server.linkTo(server.createHold()), { waitUntil: "commit" });
  const hint = page.getByText("Still loading? Check your connection, then reload this page.");
  const showsFrame = async () => {
    await waitForHeading(page, "Loading your message");
    expect(await page.locator("main").innerText()).toContain("Nothing is sent until you press the button.");
    expect((await page.locator("#frame").boundingBox())?.height).toBeGreaterThan(150);
    expect(await hint.isVisible()).toBe(false);
  };
  await showsFrame();
  const frame = await page.locator("#frame .message").boundingBox();
  script.resolve();
  await page.waitForRequest("**/verify/holds/*");
  await showsFrame();
  await page.evaluate("document.querySelector('#slow').getAnimations()[0].finish()");
  expect(await hint.isVisible()).toBe(true);
  release();
  await waitForHeading(page, "Check and send");
  expect(await page.locator("#frame").isVisible()).toBe(false);
  expect(await hint.isVisible()).toBe(false);
  // Nothing moves under a finger: the message is where its frame was.
  expect((await page.locator("#message").boundingBox())?.y).toBe(frame?.y);
});

test("the page claims nothing about who pressed: neither human nor robot appears in the page", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "Sent");
  // The page has the texts of its language, the script has what it does with them.
  for (const [path, contained] of [
    ["/verify", "Check and send"],
    ["/verify/check.js", "checkComplete"],
  ] as const) {
    const source = await (await page.request.get(server.origin + path)).text();
    const bodySource = source.slice(Math.max(0, source.indexOf("<body>")));
    expect(bodySource).toContain(contained);
    expect(bodySource).not.toMatch(/human(?!_agent)|robot|captcha/i);
  }
});

test("without JavaScript, the page says only what is missing and that nothing was sent", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), { javaScriptEnabled: false });
  const text = await page.locator("main").innerText();
  expect(text).toMatch(/^This page needs JavaScript\n/);
  expect(text).toMatch(/Nothing was sent\.$/);
  expect(await page.locator("#frame").isVisible()).toBe(false);
  // Without JavaScript, axe cannot run in the page.
  expect(await page.locator("h1:visible").allInnerTexts()).toEqual(["This page needs JavaScript"]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const contrasts = await measureContrasts(page);
    expect(contrasts).toHaveLength(3);
    expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  }
});

test("the page has no accessibility violation in any state, light and dark", async () => {
  const checked: string[] = [];
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now(), idleWorkers: true });
  const check = async (state: string, heading: string) => {
    await waitForHeading(page, heading);
    expect(await accessibilityViolations(page), state).toEqual([]);
    // The theme sets the colors of both schemes; these states show all of them.
    const isDarkToo = inject("fullRun") || ["question", "last minute", "working", "sent", "not sent"].includes(state);
    for (const colorScheme of isDarkToo ? (["light", "dark"] as const) : (["light"] as const)) {
      await page.emulateMedia({ colorScheme });
      const contrasts = await measureContrasts(page);
      expect(contrasts.filter(({ ratio }) => ratio < 4.5).map(({ element }) => `${state}: ${element}`)).toEqual([]);
    }
    checked.push(state);
  };
  const open = async (overrides: Parameters<CheckServer["createHold"]>[0] = {}) => {
    await page.goto("about:blank");
    await page.goto(server.linkTo(server.createHold(overrides)));
  };
  const failure = (detail: string) => ({ code: "send_failed", message: "No.", detail });

  const showMessage = server.delayNext("get");
  await open({ attachments: [image, { type: "video", url: null }], test: true });
  await check("loading", "Loading your message");
  showMessage();
  await check("question", "Check and send");
  await page.clock.fastForward(870 * SECOND);
  await page.locator(".left.last").waitFor();
  await check("last minute", "Check and send");
  await pressButton(page);
  await solvePuzzles(page, 5);
  await page.clock.fastForward(7 * SECOND);
  await solvePuzzles(page, 10);
  await page.getByText("s left").waitFor();
  await check("working", "Check and send");
  const settle = server.delayNext("complete");
  server.replyNext("complete", refusalReply(409, "hold_expired", "sent"));
  await solvePuzzles(page, 35);
  await page.getByRole("button", { name: "Sending…" }).waitFor();
  await check("sending", "Check and send");
  settle();
  await check("sent", "Already sent");

  const refused = server.createHold({ status: "failed", error: failure("(#551) This person isn't available.") });
  await open();
  await pressButton(page);
  const reply = { code: "hold_expired", message: "No.", detail: "failed", hold: { ...refused, platform: "instagram" } };
  server.replyNext("complete", { status: 409, body: { ok: false, error: reply } });
  await solvePuzzles(page, 50);
  await page.getByRole("button", { name: "Copy the text" }).waitFor();
  await check("not sent", "Not sent");
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  await pressButton(page, "Copy the text");
  await page.getByText("Your browser did not copy the text.").waitFor();
  await check("not copied", "Not sent");
  await page.goto("about:blank");
  await page.goto(server.linkTo(refused));
  await check("link of a failed message", "Not sent");
  await open({ status: "failed", error: failure("outcome_unknown") });
  await check("not confirmed", "Not confirmed");
  await open({ expiresAt: Date.now() - 1 });
  await check("expired", "Time ran out");
  for (const [answer, title] of [
    [refusalReply(404, "hold_not_found", null), "This link is not valid"],
    [refusalReply(429, "rate_limited", null), "Too many attempts"],
    [refusalReply(500, "internal_error", null), "Something went wrong"],
  ] as const) {
    server.replyNext("get", answer);
    await open();
    await check(title, title);
  }
  await page.goto(`${server.origin}/verify?hold=${refused.id}`);
  await check("incomplete link", "This link is incomplete");
  expect(checked).toHaveLength(15);
});

test("the page does not animate with reduced motion", async () => {
  for (const [reducedMotion, animation] of [
    ["no-preference", "breathe"],
    ["reduce", "none"],
  ] as const) {
    const { page } = await visitHold(browser, server, server.createHold());
    await page.emulateMedia({ reducedMotion });
    const release = server.delayNext("complete");
    await pressButton(page);
    await page.getByRole("button", { name: "Sending…" }).waitFor();
    const style = "getComputedStyle(document.querySelector('progress')).animationName";
    expect(await page.evaluate(style)).toBe(animation);
    release();
    await waitForHeading(page, "Sent");
  }
});

test("the page does not overflow the width of the smallest phone with the longest words", async () => {
  const endless = "w".repeat(300);
  const hold = server.createHold({
    displayName: endless,
    text: `${endless}\n${"line\n".repeat(60)}`,
    attachments: [image, image, image],
  });
  const { page } = await visitHold(browser, server, hold, { viewport: { width: 320, height: 568 }, hasTouch: true });
  await waitForHeading(page, "Check and send");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const button = await page.getByRole("button").boundingBox();
  expect(button?.height).toBeGreaterThanOrEqual(44);
  // In reach before the person has scrolled to the end of the message, as is the progress.
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(568);
  const release = server.delayNext("complete");
  await page.getByRole("button").tap();
  const sending = await page.getByText("The check is complete. Sending…").boundingBox();
  expect((sending?.y ?? 0) + (sending?.height ?? 0)).toBeLessThanOrEqual(568);
  release();
  await waitForHeading(page, "Sent");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const title = await page.getByRole("heading").boundingBox();
  expect(title?.y).toBeGreaterThanOrEqual(0);
  expect(title?.y).toBeLessThan(568);
});

test("the page shows each line of the message in the direction of its script", async () => {
  const hold = server.createHold({ text: "A line that is read from the left\nשלום\nno" });
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "Check and send");
  const sides = await page.evaluate<string[]>(`(() => {
    const bubble = document.querySelector("#text");
    const { left, width } = bubble.getBoundingClientRect();
    const range = document.createRange();
    return bubble.textContent.split("\\n").map((line) => {
      const start = bubble.textContent.indexOf(line);
      range.setStart(bubble.firstChild, start);
      range.setEnd(bubble.firstChild, start + line.length);
      const box = range.getBoundingClientRect();
      return box.width > width / 2 ? "whole" : box.left < left + width / 2 ? "left" : "right";
    });
  })()`);
  expect(sides).toEqual(["whole", "right", "left"]);
});
