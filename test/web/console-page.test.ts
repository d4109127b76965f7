import { expect, it } from "vitest";
import { openedOnce } from "../support/opened.ts";
import { startConsoleServer } from "./support/console-server.ts";
import { openedBrowser, openPage } from "./support/page-visit.ts";

// The built console in a browser, under its policy, as the Web function serves it.

const browser = openedBrowser();
const server = openedOnce(() => startConsoleServer());

it("the console starts at any of its addresses under its policy, in its own font, and loads nothing of another origin", async () => {
  const { page, requestedUrls, complaints } = await openPage(browser, `${server.origin}/app/acme/inbox`);
  await page.locator("#root > *").first().waitFor();
  expect(await page.evaluate("document.fonts.load('14px \"Inter Variable\"').then((faces) => faces.length)")).toBe(1);
  expect(complaints).toEqual([]);
  expect(requestedUrls.filter((url) => /\/app\/assets\/.+\.(js|css|woff2)$/.test(url)).length).toBeGreaterThanOrEqual(
    3,
  );
  expect(requestedUrls.filter((url) => !url.startsWith(server.origin))).toEqual([]);
});

it("the policy of the console refuses a style element", async () => {
  const { page } = await openPage(browser, `${server.origin}/app`);
  const isApplied = await page.evaluate(`(() => {
    const style = document.createElement("style");
    style.textContent = "* { color: red }";
    document.head.prepend(style);
    return style.sheet !== null && style.sheet.cssRules.length > 0;
  })()`);
  expect(isApplied).toBe(false);
});
