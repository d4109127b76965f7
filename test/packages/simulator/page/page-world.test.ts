import { expect, test } from "vitest";
import { testAccounts } from "../simulator-fixture.ts";
import { messenger, useSimulatorPage } from "./page-fixture.ts";

// What the page changes in the world, in a real Chromium: people, accounts, faults and the clock.

const hour = 3_600_000;
const at = useSimulatorPage();

test("a menu stays open while the list below it changes", async () => {
  await at.page
    .getByRole("button", { name: `Actions of ${testAccounts.login.displayName}, Instagram`, exact: true })
    .click();
  await at.write("News");
  await at.page.locator(".contact", { hasText: "News" }).waitFor();
  expect(await at.focusedName()).toBe("Add a person…");
  await at.page.keyboard.press("Escape");
  expect(await at.focusedName()).toBe(`Actions of ${testAccounts.login.displayName}, Instagram`);
});

test("the account sends policy events", async () => {
  await at.openPerson(messenger);
  await at.page.getByRole("button", { name: `Actions of ${testAccounts.messenger.displayName}, Messenger` }).click();
  await at.page.getByRole("menuitem", { name: "Block the account", exact: true }).click();
  await at.page.getByText("Block the account: accepted by the app").first().waitFor();
});

test("a person loses their role, blocks the business, or belongs to another app", async () => {
  const menu = at.page.getByRole("button", { name: "Actions of the person and the thread" });
  for (const entry of ["Blocks the business", "Has no role in the app", "Another app controls it (standby)"]) {
    await menu.click();
    await at.page.getByRole("menuitemcheckbox", { name: entry }).click();
  }
  await expect
    .poll(async () => {
      const { people: all } = await at.simulator.control<{ people: { id: string }[] }>("/state");
      return all.find(({ id }) => id === at.owner.person);
    })
    .toMatchObject({ blocked: true, role: false, standby: true });
  const marks = at.page.locator(".contact", { hasText: at.name }).locator(".pill");
  await expect.poll(() => marks.allTextContents()).toEqual(["Blocked", "Standby", "No role"]);
  await menu.click();
  expect(await at.page.getByRole("menuitemcheckbox", { checked: true }).count()).toBe(3);
  await at.expectAccessible();
  await at.page.keyboard.press("Escape");
});

test("faults are set and ended", async () => {
  await at.page.getByRole("button", { name: "Faults: No fault" }).click();
  await at.expectAccessible();
  await at.page.getByRole("menuitemradio", { name: "Rate limit" }).click();
  await at.page.getByRole("button", { name: "Faults: Rate limit, 1 left" }).click();
  const { fault } = await at.simulator.control<{ fault: object }>("/state");
  expect(fault).toMatchObject({ mode: "rate_limited", left: 1 });
  await at.page.getByRole("menuitemradio", { name: "No fault" }).click();
  await at.page.getByRole("button", { name: "Faults: No fault" }).waitFor();
});

test("the clock advances the host, days are divided, and near messages are grouped", async () => {
  await at.write("Yesterday's");
  await at.write("A moment later");
  const clock = at.page.getByRole("button", { name: /^Clock/ });
  for (const entry of ["1 hour", "24 hours"]) {
    await clock.click();
    await at.page.getByRole("menuitem", { name: entry }).click();
    await at.page
      .getByText(/^It is .* now\.$/)
      .first()
      .waitFor();
  }
  expect(at.simulator.advances.slice(-2)).toEqual([hour, 24 * hour]);
  await at.write("Today's");
  await at.message("Today's").waitFor();
  const dividers = await at.page.locator(".day").allTextContents();
  expect(dividers.at(-1)).toMatch(/^Today, /);
  expect(dividers[0]).toMatch(/^Yesterday, |day, /);
  expect(dividers).toHaveLength(2);
  await expect(at.message("A moment later").getAttribute("class")).resolves.toContain("follows");
  expect(await at.page.locator("#window").innerText()).toMatch(/^Open for (24|23) h$/);
});

test("an hour of failed webhooks ends the subscription; the page says so and subscribes again", async () => {
  await at.openPerson(messenger);
  at.simulator.receiver.status = 500;
  await at.write("Is anybody there?");
  await at.page.getByText(/^The app does not accept the webhooks\./).waitFor();
  expect(await at.page.locator("#webhooks").innerText()).toMatch(/^1 webhook waits/);
  await at
    .message("Is anybody there?")
    .getByText(/^Not taken yet/)
    .waitFor();
  await at.page.getByRole("button", { name: /^Clock/ }).click();
  await at.page.getByRole("menuitem", { name: "1 hour" }).click();
  await at.page.getByText("The subscription ended.").waitFor();
  await at.message("Lost: the subscription ended").waitFor();
  expect(await at.page.locator("#webhooks").innerText()).toBe("A subscription is off");
  await at.expectAccessible();
  at.simulator.receiver.status = 200;
  await at.page.getByRole("button", { name: "Subscribe again" }).click();
  await at.page.locator("#banner").waitFor({ state: "hidden" });
  await at.write("Hello again");
  await at.message("Hello again").getByText("Accepted by the app").waitFor();
  expect(await at.page.locator("#webhooks").innerText()).toBe("Accepted by the app");
});

test("a person is added to an account and can write at once", async () => {
  await at.page
    .getByRole("button", { name: `Actions of ${testAccounts.login.displayName}, Instagram`, exact: true })
    .click();
  await at.page.getByRole("menuitem", { name: "Add a person…" }).click();
  await at.expectAccessible();
  await at.page.getByLabel("Name").fill("Noor Haddad");
  await at.page.keyboard.press("Enter");
  await at.page.getByRole("heading", { name: "Noor Haddad" }).waitFor();
  expect(await at.inPage("document.activeElement.id")).toBe("text");
});
