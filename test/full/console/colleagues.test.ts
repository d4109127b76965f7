import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../e2e/accounts/browser.ts";
import {
  bubbles,
  type ConsoleVisit,
  nameOneself,
  rowOf,
  signInByMail,
  visitConsole,
  waitUntilLive,
} from "../../e2e/console/console-visit.ts";
import { personWrites, sentMessages, simulatedAccount } from "../../e2e/support/api-calls.ts";
import { openSharedStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";
import { testBrowser } from "../../web/support/browser.ts";

// Two people of a team answer the same threads, each in a browser of their own. The tests continue one another.

const HOUR = 3_600_000;
const TOMAS = "tomas@local.invalid";

const stack = openedOnce(openSharedStack);
let ines: ConsoleVisit;
let tomas: ConsoleVisit;

beforeAll(async () => {
  // An account has the messages since it was connected: that becomes more than a day ago.
  await stack.clock("PT26H");
  const browser = await testBrowser();
  const owner = await openBrowser(stack);
  const invite = { email: TOMAS, role: "agent" };
  expect((await owner.call("POST", "/console/invites?tenant=demo", invite)).status).toBe(201);
  ines = await visitConsole(stack, browser);
  await signInByMail(stack, ines);
  await nameOneself(ines, "Ines Marlow");
  tomas = await visitConsole(stack, browser);
  await signInByMail(stack, tomas, { email: TOMAS });
  await nameOneself(tomas, "Tomás Reyes");
  await Promise.all([waitUntilLive(ines), waitUntilLive(tomas)]);
});
afterAll(async () => {
  for (const { context } of [ines, tomas]) await context.close();
});

async function bothOpen(person: string, text: string): Promise<void> {
  for (const { page } of [ines, tomas]) {
    await rowOf(page, person).waitFor();
    await rowOf(page, person).click();
    await bubbles(page, text).waitFor();
  }
}

const composer = ({ page }: ConsoleVisit) => page.locator(".foot textarea");

it("an agent who was invited sees the same inbox, without what an agent may not do", async () => {
  await personWrites(stack, "instagram_login", "Shared Sam", "Do you ship to Spain?");
  await bothOpen("Shared Sam", "Do you ship to Spain?");
  expect(await ines.page.getByRole("button", { name: "Erase this person’s data" }).count()).toBe(1);
  expect(await tomas.page.getByRole("button", { name: "Erase this person’s data" }).count()).toBe(0);
});

it("a colleague's answer appears with the name, and stops once an answer that was being written", async () => {
  await composer(ines).pressSequentially("Yes, within a week.");
  await composer(tomas).fill("Yes, it takes three days.");
  await tomas.page.keyboard.press("Control+Enter");
  await bubbles(ines.page, "Yes, it takes three days.").getByText("Tomás Reyes").waitFor();
  await bubbles(tomas.page, "Yes, it takes three days.").getByText("You").waitFor();

  await composer(ines).press("Control+Enter");
  await ines.page.getByText(/^Tomás Reyes answered at /).waitFor();
  expect(await composer(ines).inputValue()).toBe("Yes, within a week.");
  expect(await sentMessages(stack, "Yes, within a week.")).toEqual([]);

  await ines.page.getByRole("button", { name: "Send anyway" }).click();
  await bubbles(tomas.page, "Yes, within a week.").getByText("Ines Marlow").waitFor();
  expect(await sentMessages(stack, "Yes, within a week.")).toHaveLength(1);
  expect(await sentMessages(stack, "Yes, it takes three days.")).toHaveLength(1);
});

it("a colleague's answer that was missed while offline stops an answer too", async () => {
  await personWrites(stack, "messenger", "Missed Mia", "Is the blue one left?");
  await bothOpen("Missed Mia", "Is the blue one left?");
  await composer(ines).pressSequentially("The blue one ");
  await ines.context.setOffline(true);
  await composer(tomas).fill("The last one is yours.");
  await tomas.page.keyboard.press("Control+Enter");
  await waitFor("the answer", async () => (await sentMessages(stack, "The last one is yours.")).length === 1);
  await ines.page.getByText(/^You are offline since /).waitFor();
  await ines.context.setOffline(false);
  await bubbles(ines.page, "The last one is yours.").waitFor();
  await composer(ines).press("Control+Enter");
  await ines.page.getByText(/^Tomás Reyes answered at /).waitFor();
  expect(await sentMessages(stack, "The blue one")).toEqual([]);
  await composer(ines).fill("");
});

it("a colleague sees that a message is held, and what was sent after its check", async () => {
  const at = (await stack.now()) - 25 * HOUR;
  const sends = { ...simulatedAccount(stack, "instagram_login"), person: "Held Hana", text: "Any news?", at };
  await stack.sim("POST", "/person-sends", sends);
  await bothOpen("Held Hana", "Any news?");
  const note = "Another message is held here until the person who typed it has checked it.";
  await composer(tomas).fill("It left today.");
  await tomas.page.keyboard.press("Control+Enter");
  await tomas.page.getByRole("button", { name: "Send as Tomás Reyes" }).waitFor();
  await ines.page.getByText(note).waitFor();
  expect(await tomas.page.getByText(note).count()).toBe(0);
  // What is held is the business of the person who typed it.
  expect(await bubbles(ines.page, "It left today.").count()).toBe(0);

  await tomas.page.getByRole("button", { name: "Send as Tomás Reyes" }).click();
  await bubbles(ines.page, "It left today.").getByText("Tomás Reyes, as a person").waitFor({ timeout: 60_000 });
  await ines.page.getByText(note).waitFor({ state: "detached" });
  await bubbles(tomas.page, "It left today.").getByText("You, as a person").waitFor();
  expect(await sentMessages(stack, "It left today.")).toHaveLength(1);
});

it("a conversation that a colleague marks as done leaves the list of both", async () => {
  await personWrites(stack, "messenger", "Done Dora", "Thank you!");
  await bothOpen("Done Dora", "Thank you!");
  for (const { page } of [ines, tomas]) await page.mouse.move(900, 300);
  await tomas.page.getByRole("button", { name: "Done" }).click();
  // The focus of the row that Ines pressed would hold the list.
  await composer(ines).focus();
  for (const { page } of [tomas, ines]) await rowOf(page, "Done Dora").waitFor({ state: "detached" });
});

it("the work of two caused no complaint of the policy and no request to another origin", () => {
  for (const { complaints, foreignUrls } of [ines, tomas]) {
    expect(complaints).toEqual([]);
    expect(foreignUrls).toEqual([]);
  }
});
