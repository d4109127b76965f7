import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { SECOND } from "../../shared/kernel/time.ts";
import { testBrowser } from "./support/browser.ts";
import { type CheckServer, refusalReply, startCheckServer } from "./support/check-server.ts";
import { measureContrasts } from "./support/contrast.ts";
import { pressButton, visitHold, waitForHeading } from "./support/page-visit.ts";

// Accessibility of the check page: screen readers, contrast, reduced motion, dark mode and small phones.

let browser: Browser;
let server: CheckServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([testBrowser(), startCheckServer()]);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await server?.close();
});

test("has a language, a title, one heading and accessible names", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ attachments: 1 }), { clockAt: Date.now() });
  await waitForHeading(page, "Check and send");
  expect(await page.title()).toBe("Check and send");
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await page.locator("meta[name=viewport]").getAttribute("content")).not.toMatch(/maximum-scale|user-scalable/);
  const snapshot = (await page.locator("body").ariaSnapshot()).replace(/timer "Time left [\d:]+"(: .*)?/, "timer");
  expect(snapshot).toBe(
    [
      "- main:",
      '  - heading "Check and send" [level=1]',
      "  - paragraph: Review your message. Nothing is sent until you press the button.",
      '  - region "Your message":',
      "    - paragraph: To Mara Lindqvist on Instagram",
      "    - paragraph: Hello Mara, your order is ready.",
      "    - paragraph: 1 attachment",
      '  - button "Check and send"',
      "  - paragraph:",
      "    - text: Time left",
      "    - timer",
      "  - paragraph: Your browser first solves a short calculation, which takes a few seconds. Then the message is sent once.",
      "  - status",
    ].join("\n"),
  );
  const release = server.delayNext("challenge");
  await pressButton(page);
  await page.getByRole("progressbar", { name: "Check" }).waitFor();
  release();
  await waitForHeading(page, "Sent");
  expect(await page.title()).toBe("Sent · Check and send");
});

test("claims nothing about who pressed: neither human nor robot appears in the page", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "Sent");
  for (const path of ["/verify", "/verify/check.js"]) {
    const source = await (await page.request.get(server.origin + path)).text();
    const bodySource = source.slice(Math.max(0, source.indexOf("<body>")));
    expect(bodySource).toContain("Check and send");
    expect(bodySource).not.toMatch(/human(?!_agent)|robot|captcha/i);
  }
});

test("without JavaScript, says only what is missing and that nothing was sent", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), { javaScriptEnabled: false });
  const text = await page.locator("main").innerText();
  expect(text).toMatch(/^This page needs JavaScript\n/);
  expect(text).toMatch(/Nothing was sent\.$/);
});

test.each(["light", "dark"] as const)("has a text contrast of at least 4.5 to 1 in %s mode", async (colorScheme) => {
  const { page } = await visitHold(browser, server, server.createHold({ attachments: 1 }), {
    colorScheme,
    clockAt: Date.now(),
  });
  const clear = async (element: string) => {
    const contrastResults = await measureContrasts(page);
    expect(contrastResults.map((each) => each.element)).toContain(element);
    expect(contrastResults.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  };
  await waitForHeading(page, "Check and send");
  await clear("go");
  await page.clock.fastForward(870 * SECOND);
  await page.locator(".left.last").waitFor();
  await clear("clock");
  const release = server.delayNext("complete");
  await pressButton(page);
  await page.getByRole("button", { name: "Sending…" }).waitFor();
  await clear("status");
  release();
  await waitForHeading(page, "Sent");
  await clear("mark");
  await end(page, colorScheme, clear);
});

async function end(
  page: Page,
  colorScheme: "light" | "dark",
  clear: (element: string) => Promise<void>,
): Promise<void> {
  expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
    colorScheme === "light" ? "rgb(245, 243, 238)" : "rgb(21, 24, 25)",
  );
  for (const [reply, title] of [
    [refusalReply(404, "hold_not_found", null), "This link is not valid"],
    [refusalReply(429, "rate_limited", null), "Too many attempts"],
    [refusalReply(500, "internal_error", null), "Something went wrong"],
  ] as const) {
    server.replyNext("get", reply);
    await page.goto("about:blank");
    await page.goto(server.linkTo(server.createHold()));
    await waitForHeading(page, title);
    await clear("mark");
  }
}

test("does not animate with reduced motion", async () => {
  for (const [reducedMotion, animation] of [
    ["no-preference", "breathe"],
    ["reduce", "none"],
  ] as const) {
    const { page } = await visitHold(browser, server, server.createHold(), { reducedMotion });
    const release = server.delayNext("complete");
    await pressButton(page);
    await page.getByRole("button", { name: "Sending…" }).waitFor();
    const style = "getComputedStyle(document.querySelector('progress')).animationName";
    expect(await page.evaluate(style)).toBe(animation);
    release();
    await waitForHeading(page, "Sent");
  }
});

test("does not overflow the width of the smallest phone with the longest words", async () => {
  const endless = "w".repeat(300);
  const hold = server.createHold({ displayName: endless, text: `${endless}\n${"line\n".repeat(60)}`, attachments: 3 });
  const { page } = await visitHold(browser, server, hold, { viewport: { width: 320, height: 568 }, hasTouch: true });
  await waitForHeading(page, "Check and send");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const button = await page.getByRole("button").boundingBox();
  expect(button?.height).toBeGreaterThanOrEqual(44);
  await page.getByRole("button").tap();
  await waitForHeading(page, "Sent");
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  const title = await page.getByRole("heading").boundingBox();
  expect(title?.y).toBeGreaterThanOrEqual(0);
  expect(title?.y).toBeLessThan(568);
});
