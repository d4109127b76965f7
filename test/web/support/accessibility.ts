import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds in the page: each rule with the elements that break it. Contrast is measured in light and dark mode. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const violations = await page.evaluate<string[]>(runScript("{}"));
  await page.emulateMedia({ colorScheme: "dark" });
  // Nothing but the colors differs.
  return [...violations, ...(await page.evaluate<string[]>(runScript('{ runOnly: ["color-contrast"] }')))];
}

const runScript = (
  options: string,
) => `axe.run(document, { resultTypes: ["violations"], ...${options} }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;
