import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { personWrites, sentMessages } from "../support/api-calls.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { bubbles, nameOneself, rowOf, signInByMail, visitConsole, waitUntilLive } from "./console-visit.ts";

// One morning of a person at the console, over the whole stack. test/full/console has all that can come between.

const browser = openedBrowser();
const stack = openedOnce(openSharedStack);

it("a person signs in by the mailed link, gets a message, answers it, and marks another as done", async () => {
  const visit = await visitConsole(stack, browser);
  const { page } = visit;
  await signInByMail(stack, visit);
  await page.getByRole("heading", { name: "What is your name?" }).waitFor();
  await nameOneself(visit, "Ines Marlow");
  await page.getByRole("heading", { name: "Everyone has an answer" }).waitFor();
  await waitUntilLive(visit);

  await personWrites(stack, "instagram_login", "Waiting Wanda", "Are you open on Sunday?");
  const loads: string[] = [];
  page.on("domcontentloaded", () => loads.push(page.url()));
  await rowOf(page, "Waiting Wanda").getByText("Are you open on Sunday?").waitFor();
  await personWrites(stack, "messenger", "Thankful Theo", "Thanks!");
  await rowOf(page, "Thankful Theo").waitFor();
  expect(await page.title()).toBe("(2) Inbox – Parley");

  await rowOf(page, "Waiting Wanda").click();
  await page.getByRole("textbox", { name: "Reply to Waiting Wanda" }).fill("Until noon.");
  await page.keyboard.press("Control+Enter");
  await bubbles(page, "Until noon.").getByText("You").waitFor();
  // No row moves while the pointer is in the list.
  await page.mouse.move(900, 300);
  expect(await bubbles(page, "Until noon.").count()).toBe(1);
  await rowOf(page, "Waiting Wanda").waitFor({ state: "detached" });
  expect(await sentMessages(stack, "Until noon.")).toHaveLength(1);

  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await bubbles(page, "Thanks!").waitFor();
  for (const key of ["r", "Escape", "e"]) await page.keyboard.press(key);
  await page.getByText("Marked as done").waitFor();
  await rowOf(page, "Thankful Theo").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await rowOf(page, "Thankful Theo").waitFor();
  expect(await page.title()).toBe("(1) Inbox – Parley");

  expect(loads).toEqual([]);
  expect(visit.complaints).toEqual([]);
  expect(visit.foreignUrls).toEqual([]);
});
