import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { layoutProblems } from "../../../web/support/layout-problems.ts";
import { openPage, type PageVisit, type VisitOptions } from "../../../web/support/page-visit.ts";
import { type Locale, PSEUDO_LOCALE } from "../../../web/support/pseudo-locale.ts";

/** The smallest phone, a phone of today and a desktop. */
const viewports = [
  { width: 320, height: 568 },
  { width: 390, height: 844 },
  { width: 1_440, height: 900 },
] as const;

/** Opens a page in a browser that prefers a language. */
export async function openIn(
  browser: Browser,
  locale: Locale,
  link: string,
  options: VisitOptions = {},
): Promise<PageVisit> {
  return openPage(browser, link, { locale, viewport: viewports[0], bypassCSP: true, ...options });
}

/**
 * Looks at a state of a page at each width: its layout, and what axe finds, light and dark.
 * @param scripted false for a page without scripts, in which axe cannot run
 */
export async function expectReadable(page: Page, locale: Locale, state: string, scripted = true): Promise<void> {
  const found: string[] = [];
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    const problems = [...(await layoutProblems(page)), ...(scripted ? await accessibilityViolations(page) : [])];
    found.push(...problems.map((problem) => `${state} in ${locale} at ${viewport.width} px: ${problem}`));
  }
  expect(found).toEqual([]);
  expect(await page.locator("html").getAttribute("lang")).toBe(locale);
  expect(await page.locator("html").getAttribute("dir")).toBe(locale === PSEUDO_LOCALE ? "rtl" : "ltr");
  expect(await page.locator("body").innerText()).not.toMatch(/[{}]/);
}
