import { describe, expect, inject, it } from "vitest";
import { openedOnce } from "../support/opened.ts";
import { accessibilityViolations } from "./support/accessibility.ts";
import { startDocsServer } from "./support/docs-server.ts";
import { openedBrowser, openPage, type VisitOptions } from "./support/page-visit.ts";

// The documentation in a browser, under its policy, as the Web function serves it.

const browser = openedBrowser();
const server = openedOnce(startDocsServer);

const wide = { width: 1440, height: 1000 };
const phone = { width: 390, height: 844 };
const smallPhone = { width: 320, height: 568 };
const visit = (path: string, options?: VisitOptions) => openPage(browser, `${server.origin}${path}`, options);

/** One page of each kind, of which a phone shows two. The full run has all. */
const kinds = ["/docs", "/docs/guides/sending", "/docs/errors", "/docs/reference/api-keys", "/docs/reference/realtime"];
const checkedPages = (viewport: typeof wide) =>
  inject("fullRun") ? server.paths : viewport === wide ? kinds : kinds.filter((_, i) => i % 2 === 1);
/** Axe takes seconds for a large page. */
const pagesForAxe = (viewport: typeof wide) =>
  inject("fullRun")
    ? server.paths
    : viewport === wide
      ? ["/docs/reference/api-keys"]
      : ["/docs", "/docs/guides/sending"];

describe.each([
  ["1440 px", wide],
  ["390 px", phone],
  ["320 px", smallPhone],
])("at %s", (_name, viewport) => {
  it("every page loads from its own origin alone, keeps its policy, and fits the window", async () => {
    const { page, requestedUrls, complaints } = await visit("/docs", { viewport });
    for (const path of checkedPages(viewport)) {
      await page.goto(`${server.origin}${path}`);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
    expect(requestedUrls.length).toBeGreaterThan(5);
    expect(requestedUrls.filter((url) => !url.startsWith(`${server.origin}/docs`))).toEqual([]);
  });

  it("no page has an accessibility violation, in light and dark, with everything open", async () => {
    const { page } = await visit("/docs", { viewport, bypassCSP: true });
    for (const path of pagesForAxe(viewport)) {
      await page.goto(`${server.origin}${path}`);
      await page.evaluate("document.querySelectorAll('details:not([name])').forEach((each) => { each.open = true; })");
      expect(await accessibilityViolations(page), path).toEqual([]);
    }
  });

  it("a page reads without its script: text, navigation, snippets and fields, and no control that does nothing", async () => {
    const { page } = await visit("/docs/reference/messages", { viewport, javaScriptEnabled: false });
    expect(await page.getByRole("heading", { name: "Send a reply", exact: true }).isVisible()).toBe(true);
    const operation = page.locator("#sendReply");
    expect(await operation.locator("pre").first().innerText()).toContain(
      `curl -sS "${server.origin}/v1/messages/reply"`,
    );
    // Each of the boxes that hide the field opens by a press, the outermost first.
    const field = page.locator("code.name", { hasText: /^attachment_id$/ });
    const boxes = operation.locator("details.fields-of:not([open])").filter({ has: field });
    for (let closed = await boxes.count(); closed > 0; closed = await boxes.count())
      await boxes.first().locator("summary").first().click();
    expect(await operation.locator(field).first().isVisible()).toBe(true);
    expect(await page.getByRole("searchbox").count()).toBe(0);
    expect(await page.getByRole("button").count()).toBe(0);
    if (viewport !== wide) await page.getByText("Menu", { exact: false }).first().click();
    await page.getByRole("navigation").filter({ visible: true }).getByRole("link", { name: "Uploading files" }).click();
    await page.waitForURL(`${server.origin}/docs/guides/uploads`);
  });
});

it("an address without a page has one with the navigation and a link to the first page, also without scripts", async () => {
  const { page } = await visit("/docs/guides/nothing", { viewport: wide, javaScriptEnabled: false });
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Page not found");
  expect(await page.evaluate("getComputedStyle(document.querySelector('header.top')).display")).not.toBe("block");
  expect(await page.getByRole("link", { name: "Sending messages" }).first().isVisible()).toBe(true);
  await page.getByRole("main").getByRole("link", { name: "first page" }).click();
  await page.waitForURL(`${server.origin}/docs`);
});

it("the keyboard skips to the content, searches, and follows a result", async () => {
  const { page } = await visit("/docs", { viewport: wide });
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").innerText()).toBe("Skip to content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
  await page.keyboard.press("/");
  await page.keyboard.type("window_cl");
  await page.locator("#search-results a").first().waitFor();
  expect(await page.getByRole("status").innerText()).toMatch(/^\d+ results?$/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.origin}/docs/errors#window_closed`);
  const { top, height } = (await page.evaluate(
    "(({ top }) => ({ top, height: innerHeight }))(document.getElementById('window_closed').getBoundingClientRect())",
  )) as { top: number; height: number };
  expect(top).toBeGreaterThan(50);
  expect(top).toBeLessThan(height);
  await page.keyboard.press("/");
  await page.keyboard.type("sendReply");
  await page.locator("#search-results a").first().waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator("#search-results").isVisible()).toBe(false);
});

it("the search opens the fields that hide the one it found, and says when nothing is found", async () => {
  const { page, complaints } = await visit("/docs/guides/limits", { viewport: phone });
  const search = page.getByRole("searchbox");
  await search.fill("participant_handle");
  await page.locator("#search-results a").first().click();
  await page.waitForURL(/\/docs\/reference\/conversations#listConversations\.participant_handle$/);
  const field = page.locator("#listConversations code.name", { hasText: /^participant_handle$/ }).first();
  await field.waitFor({ state: "visible" });
  const place = await field.boundingBox();
  expect(place?.y).toBeGreaterThan(0);
  expect(place?.y).toBeLessThan(phone.height);
  await search.fill("zzyzx");
  await page.locator("#search-none", { hasText: "No results" }).waitFor({ state: "visible" });
  expect(complaints).toEqual([]);
});

it("the chosen language holds for every request of every page, by pointer and by keyboard", async () => {
  const { page, requestedUrls } = await visit("/docs", { viewport: wide });
  const selected = () => page.getByRole("tab", { selected: true }).allInnerTexts();
  expect(await selected()).toEqual(["curl", "curl"]);
  await page.getByRole("tab", { name: "Python" }).first().click();
  expect(await selected()).toEqual(["Python", "Python"]);
  await page.goto(`${server.origin}/docs/reference/messages`);
  const panel = page.locator("#sendReply").getByRole("tabpanel");
  expect(await panel.innerText()).toContain("requests.post(");
  await page.locator("#sendReply").getByRole("tab", { selected: true }).focus();
  await page.keyboard.press("ArrowLeft");
  expect(await page.locator(":focus").innerText()).toBe("TypeScript");
  expect(await panel.innerText()).toContain("parley.messages.reply(");
  await page.keyboard.press("Home");
  expect(await panel.innerText()).toContain("curl -sS");
  await page.keyboard.press("End");
  await page.reload();
  expect(await panel.innerText()).toContain("requests.post(");
  expect(new Set(await selected())).toEqual(new Set(["Python"]));
  expect(requestedUrls.every((url) => url.startsWith(`${server.origin}/docs`))).toBe(true);
});

it("a language that a request does not have shows the first one it has", async () => {
  const { page } = await visit("/docs/reference/messages", { viewport: wide });
  await page.locator("#sendReply").getByRole("tab", { name: "Python" }).click();
  await page.goto(`${server.origin}/docs/reference/team`);
  const tabs = await page.getByRole("tab", { selected: true }).allInnerTexts();
  expect(new Set(tabs)).toEqual(new Set(["curl"]));
});

it("a reader chooses the colors for every page, and the system's again", async () => {
  const { page } = await visit("/docs", { viewport: wide, colorScheme: "dark" });
  const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
  const dark = await ground();
  const button = page.getByRole("button", { name: "Color theme" });
  await button.click();
  const light = await ground();
  expect(light).not.toBe(dark);
  await page.goto(`${server.origin}/docs/errors`);
  expect(await ground()).toBe(light);
  await button.click();
  expect(await ground()).toBe(dark);
  await page.emulateMedia({ colorScheme: "light" });
  expect(await ground()).toBe(dark);
  await button.click();
  expect(await ground()).toBe(light);
});

it("code is copied as it is written", async () => {
  const { page } = await visit("/docs/reference/service", {
    viewport: wide,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const code = page.locator("#ping .code").first();
  await code.getByRole("button", { name: "Copy GET /v1/ping" }).click();
  await code.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`curl -sS "${server.origin}/v1/ping"`);
});
