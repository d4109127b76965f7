import { expect, test } from "vitest";
import { checkPageTexts } from "#base/languages/all.ts";
import { openedOnce } from "../../support/opened.ts";
import { startCheckServer } from "../../web/support/check-page-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { locales, textsIn } from "../../web/support/pseudo-locale.ts";
import { checkStates } from "./support/check-states.ts";
import { expectReadable, openIn } from "./support/look.ts";

// The check page in every state, in each language and in a made-up one that is read from right to left, on phones and a
// desktop, light and dark.

const browser = openedBrowser();
const server = openedOnce(startCheckServer);

test.each(locales)("every state of the check page is readable in %s", async (locale) => {
  const texts = textsIn(checkPageTexts, locale);
  const options = { clockAt: Date.now(), idleWorkers: true };
  const { page, complaints } = await openIn(browser, locale, "about:blank", options);
  const open = async (overrides = {}) => {
    await page.goto("about:blank");
    await page.goto(server.linkTo(server.createHold(overrides)));
  };
  for (const { name, title, reach, shown, leave } of checkStates) {
    const visit = { page, server, open };
    await reach(visit);
    await page.getByRole("heading", { level: 1, name: texts[title], exact: true }).waitFor();
    if (shown) await page.locator(shown).waitFor();
    await expectReadable(page, locale, name);
    await leave?.(visit);
  }
  expect(complaints).toEqual([]);
});

test.each(locales)("without a script, the check page says in %s what it needs", async (locale) => {
  const link = server.linkTo(server.createHold());
  const { page } = await openIn(browser, locale, link, { javaScriptEnabled: false });
  await expectReadable(page, locale, "without a script", false);
  expect(await page.locator("main").innerText()).toContain(textsIn(checkPageTexts, locale).noScriptTitle);
});
