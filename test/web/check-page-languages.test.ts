import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityViolations } from "./support/accessibility.ts";
import { type CheckServer, refusalReply, startCheckServer } from "./support/check-page-server.ts";
import { openedBrowser, type VisitOptions, visitHold } from "./support/page-visit.ts";
import { locales, PSEUDO_LOCALE } from "./support/pseudo-locale.ts";

// The check page in each language, and in a made-up one that is read from right to left.

const browser = openedBrowser();
let server: CheckServer;
beforeAll(async () => {
  server = await startCheckServer();
});
afterAll(() => server.close());

const phone = (locale: string): VisitOptions => ({ locale, viewport: { width: 320, height: 640 }, bypassCSP: true });
const attachments = [{ type: "image", url: "https://files.example.com/a-rather-long-name-of-a-picture.jpg" }];

test.each(locales)("the check page in %s fits a phone of 320 px, and names everything", async (language) => {
  const hold = server.createHold({ attachments });
  const { page, complaints } = await visitHold(browser, server, hold, phone(language));
  const button = page.locator("#go");
  await button.waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe(language);
  const width = () => page.evaluate<number>("document.documentElement.scrollWidth");
  expect(await width()).toBeLessThanOrEqual(320);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.locator("body").innerText()).not.toMatch(/[{}]/);
  server.replyNext("complete", refusalReply(409, "send_failed", "restricted"));
  await button.click();
  await page.locator(".mark.failed").waitFor();
  expect(await width()).toBeLessThanOrEqual(320);
  expect(await page.locator("body").innerText()).not.toMatch(/[{}]/);
  expect(complaints).toEqual([]);
});

test("the check page in German says in German what is to be done", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), { locale: "de-DE" });
  await page.getByRole("button", { name: "Prüfen und senden" }).click();
  await page.getByRole("heading", { name: "Gesendet" }).waitFor();
  await page.getByText("Ihre Nachricht an").waitFor();
});

test("the made-up language is read from right to left", async () => {
  const { page } = await visitHold(browser, server, server.createHold(), phone(PSEUDO_LOCALE));
  await page.locator("#go").waitFor();
  expect(await page.evaluate("getComputedStyle(document.body).direction")).toBe("rtl");
  const label = await page.locator("#from dt").boundingBox();
  const value = await page.locator("#from dd").boundingBox();
  expect(label?.x).toBeGreaterThan(value?.x ?? Number.POSITIVE_INFINITY);
});
