import { afterAll, beforeAll, expect, it } from "vitest";
import { readMails } from "../../../e2e/accounts/browser.ts";
import {
  type ConsoleVisit,
  nameOneself,
  rowOf,
  signInByMail,
  visitConsole,
  waitUntilLive,
} from "../../../e2e/console/console-visit.ts";
import { personWrites } from "../../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../../e2e/support/local-stack.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testBrowser } from "../../../web/support/browser.ts";

// An owner and somebody who is invited, each in a browser of their own before the local stack. The tests continue one another.

const NADIA = "nadia@local.invalid";
const stack = openedOnce(openSharedStack);
let ines: ConsoleVisit;
let nadia: ConsoleVisit;

beforeAll(async () => {
  const browser = await testBrowser();
  ines = await visitConsole(stack, browser);
  await signInByMail(stack, ines);
  await nameOneself(ines, "Ines Marlow");
  nadia = await visitConsole(stack, browser);
});
afterAll(async () => {
  for (const visit of [ines, nadia]) await visit?.context.close();
});

const open = ({ page }: ConsoleVisit, name: string) => page.getByRole("navigation").getByRole("link", { name }).click();

/** Invites her on the page of the team, and waits for the mail. */
async function invite({ page }: ConsoleVisit): Promise<void> {
  const before = (await readMails(stack)).length;
  await page.getByRole("button", { name: "Invite someone" }).click();
  await page.getByLabel("Email address").fill(NADIA);
  await page.getByRole("button", { name: "Send the invite" }).click();
  await page.getByText(`An invite is on its way to ${NADIA}.`).first().waitFor();
  await waitFor("the mail of the invite", async () => (await readMails(stack)).length > before);
}

it("who is invited signs in by the mail and reads the inbox of the workspace", async () => {
  await open(ines, "Team");
  await invite(ines);
  await signInByMail(stack, nadia, { email: NADIA });
  await nameOneself(nadia, "Nadia Okan");
  expect(new URL(nadia.page.url()).pathname).toBe("/app/demo/inbox");
  await nadia.page.locator(".list-title .slug", { hasText: "demo" }).waitFor();
});

it("two people who open the same conversation see each other at once, and that the other one writes", async () => {
  await personWrites(stack, "instagram_login", "Shared Sam", "Do you ship to Spain?");
  await open(ines, "Inbox");
  await Promise.all([waitUntilLive(ines), waitUntilLive(nadia)]);
  await rowOf(ines.page, "Shared Sam").click();
  // A colleague who comes later learns who is there.
  await ines.page.waitForTimeout(6_000);
  await rowOf(nadia.page, "Shared Sam").click();
  const words = ({ page }: ConsoleVisit) => page.locator(".thread-head .peers .words");
  await words(ines)
    .filter({ hasText: /Nadia Okan.* is reading/ })
    .waitFor();
  await words(nadia)
    .filter({ hasText: /Ines Marlow.* is reading/ })
    .waitFor();
  await nadia.page.locator(".foot textarea").pressSequentially("Yes, we ");
  await words(ines)
    .filter({ hasText: /Nadia Okan.* is writing/ })
    .waitFor();
  await rowOf(ines.page, "Shared Sam").locator(".typing").waitFor();
  // She stops: her page says that she reads again.
  await words(ines)
    .filter({ hasText: /Nadia Okan.* is reading/ })
    .waitFor();
  await open(nadia, "Team");
  await words(ines).waitFor({ state: "detached" });
});

it("a changed role shows further pages, and who is removed reads what to do", async () => {
  expect(await nadia.page.getByRole("navigation").getByRole("link", { name: "Audit" }).count()).toBe(0);
  await open(ines, "Team");
  const { page } = ines;
  await page.getByRole("button", { name: "Actions for Nadia Okan" }).click();
  await page.getByRole("button", { name: "Change role" }).click();
  await page.getByRole("dialog").getByLabel("Admin").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Nadia Okan is Admin now.").waitFor();
  await nadia.page.reload();
  await nadia.page.getByRole("navigation").getByRole("link", { name: "Audit" }).waitFor();

  await page.getByRole("button", { name: "Actions for Nadia Okan" }).click();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(NADIA);
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nadia Okan is removed.").waitFor();
  await nadia.page.reload();
  await nadia.page.getByText(`Ask a colleague for an invite to ${NADIA}`).waitFor();
});
