import { expect, test } from "vitest";
import { deletionPageTexts, signInPageTexts } from "#base/languages/all.ts";
import { openedOnce } from "../../support/opened.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { locales, textsIn } from "../../web/support/pseudo-locale.ts";
import { expectReadable, openIn } from "./support/look.ts";
import { startPageServer } from "./support/page-server.ts";

// The pages for people outside the console in every state, in each language and in a made-up one that is read from right
// to left, on phones and a desktop, light and dark.

const browser = openedBrowser();
const server = openedOnce(startPageServer);
const ADDRESS = "maximiliane.lindqvist-ostermann@hafenschneiderei-lindqvist.example.com";

test.each(locales)("every state of the sign-in page is readable in %s", async (locale) => {
  const texts = textsIn(signInPageTexts, locale);
  const clockAt = Date.now();
  const { page, complaints } = await openIn(browser, locale, `${server.origin}/console/auth/sign-in`, { clockAt });
  const submit = async () => {
    await page.locator("#email").fill(ADDRESS);
    await page.locator("#send").click();
  };
  await expectReadable(page, locale, "the form");
  for (const [state, answer, shown] of [
    ["an incomplete address", { status: 400 }, texts.invalidEmail],
    ["too many requests", { status: 429, headers: { "retry-after": "3541" } }, texts.tooMany.split("{")[0]],
    ["a fault", { status: 500 }, texts.failed],
    ["no connection", "drop", texts.noConnection],
  ] as const) {
    server.linkAnswer = answer;
    await submit();
    await page
      .getByRole("alert")
      .getByText(shown ?? "")
      .waitFor();
    await expectReadable(page, locale, state);
  }
  server.linkAnswer = "hang";
  await submit();
  await page.locator("#send[aria-disabled=true]").waitFor();
  await expectReadable(page, locale, "sending");
  await page.reload();

  server.linkAnswer = { status: 200 };
  await submit();
  await page.getByRole("heading", { name: texts.sentTitle }).waitFor();
  await expectReadable(page, locale, "sent");
  await page.clock.runFor(30_000);
  await page.locator("#resend[aria-disabled=false]").waitFor();
  await expectReadable(page, locale, "another link is possible");
  await page.locator("#resend").click();
  await page.getByRole("status").getByText(texts.resent).waitFor();
  await expectReadable(page, locale, "another link is sent");
  server.linkAnswer = { status: 429, headers: { "retry-after": "3541" } };
  await page.clock.runFor(30_000);
  await page.locator("#resend").click();
  await page
    .getByRole("status")
    .getByText(texts.tooMany.split("{")[0] ?? "")
    .waitFor();
  await expectReadable(page, locale, "another link is refused");
  expect(complaints).toEqual([]);
});

const opened = [
  ["a sign-in link that no longer works", "/console/auth/verify?token=used"],
  ["the question before a sign-in", "/confirm/alone"],
  ["the question before a sign-in where another person is signed in", "/confirm/other"],
  ["the question before a login of Instagram", "/oauth/instagram/start"],
  ["the question before a login of Facebook", "/oauth/messenger/start"],
  ["a data deletion that runs", "/platform/data-deletion/running"],
  ["a data deletion that is done", "/platform/data-deletion/done"],
  ["an unknown data deletion", "/platform/data-deletion/unknown"],
] as const;

test.each(locales)("every page that answers a link is readable in %s", async (locale) => {
  const { page, complaints } = await openIn(browser, locale, "about:blank");
  for (const [state, path] of opened) {
    await page.goto(server.origin + path);
    await expectReadable(page, locale, state);
  }
  expect(await page.title()).toBe(textsIn(deletionPageTexts, locale).unknownTitle);
  expect(complaints).toEqual([]);
});

test.each(locales)("without a script, the sign-in page says in %s what it needs", async (locale) => {
  const options = { javaScriptEnabled: false };
  const { page } = await openIn(browser, locale, `${server.origin}/console/auth/sign-in`, options);
  await expectReadable(page, locale, "without a script", false);
  expect(await page.locator("main").innerText()).toContain(textsIn(signInPageTexts, locale).noScript);
  expect(await page.locator("#form").isVisible()).toBe(false);
});
