import { expect, it } from "vitest";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { openFilledWorld, reach, states } from "../support/states.ts";

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const LOGOUT = "POST /console/auth/logout";

const outside = ["the question for a name", "no workspace", "another workspace"];

it.each(states.filter(({ name }) => outside.includes(name)))(
  "$name says who is signed in, and a sign-out that failed says so and is made by another press",
  async (state) => {
    const world = await openFilledWorld(browser, server);
    await reach(world, state);
    const { page } = world;
    await page.getByText("Signed in as mia@example.com").waitFor();
    world.failures.set(LOGOUT, { status: 500, code: "internal_error" });
    const button = page.getByRole("button", { name: "Sign out" });
    await button.click();
    await waitFor("words", async () => (await page.locator(".signed-in + .problem").innerText()) !== "");
    expect(new URL(page.url()).pathname).toMatch(/^\/app/);
    world.failures.delete(LOGOUT);
    await button.click();
    await page.waitForURL("**/console/auth/sign-in");
  },
);

it.each([
  ["Accept", "POST /console/invites/{id}/accept"],
  ["Decline", "POST /console/invites/{id}/decline"],
])("a double press on %s of an invite makes one call", async (name, operation) => {
  const world = await openFilledWorld(browser, server);
  const state = states.find((each) => each.name === "no workspace but invites");
  if (!state) throw new Error("There is no such state.");
  await reach(world, state);
  await world.page.getByRole("button", { name }).first().dblclick();
  await waitFor("the answer", () => world.calls.some((call) => call === operation));
  await world.page.waitForTimeout(200);
  expect(world.calls.filter((call) => call === operation)).toHaveLength(1);
});

it("the former page of the invites shows those that wait, and without any the inbox", async () => {
  const world = await openFilledWorld(browser, server);
  world.page.setDefaultTimeout(20_000);
  await world.open("/app?invites=");
  await world.page.locator(".row").first().waitFor();
  world.me = {
    ...world.me,
    invites: [{ id: "inv_1", tenant: "north", name: "North", role: "agent", invited_by_email: "ben@example.com" }],
  };
  await world.open("/app?invites=");
  await world.page.getByText("You are invited to another workspace.").waitFor();
  await world.page.getByRole("button", { name: "Decline" }).waitFor();
  expect(await world.page.getByRole("link", { name: "Acme" }).getAttribute("href")).toBe("/app/acme/inbox");
  expect(world.calls.filter((call) => call.startsWith("POST /console/invites"))).toEqual([]);
});

it("the start of the console shows how a login ended that names no workspace, on the page of accounts", async () => {
  const world = await openFilledWorld(browser, server);
  world.page.setDefaultTimeout(20_000);
  await world.open("/app?error=oauth_denied");
  await world.page.getByRole("alert").getByText("The login was canceled").waitFor();
  expect(new URL(world.page.url()).pathname).toBe("/app/acme/accounts");
});

it("the list of keys has those of a conversation also while none is open", async () => {
  const world = await openFilledWorld(browser, server);
  await world.open();
  await world.page.locator(".row").first().waitFor();
  await world.page.keyboard.press("?");
  await world.page.locator(".key-list").waitFor();
  const keys = await world.page.locator(".key-list dd").allInnerTexts();
  expect(keys.map((key) => key.trim().replace(/\s+/g, " ")).sort()).toEqual(
    [
      ...["/", "?", "Ctrl Enter", "Ctrl K", "Ctrl Shift Enter", "Enter", "Esc"],
      ...["e", "g a", "g i", "g k", "g l", "g n", "g o", "g t", "g w", "j", "k", "n", "p", "r", "z"],
    ].sort(),
  );
});
