import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { eventually, expectAccessible, expectWaysOn, openAdmin, press } from "../support/admin-page.ts";
import { type SmallWorld, workspace } from "../support/small-world.ts";

const TEAM = "/app/acme/team";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

function fill({ office, me }: SmallWorld): void {
  office.addMember("usr_me", "Mia", "owner");
  office.addMember("usr_ben", "\u202eBen <b>Hale</b>", "agent");
  office.addInvite("inv_1", "kim@example.com");
  office.addInvite("inv_2", "lou@example.com", { status: "expired", role: "owner" });
  office.addInvite("inv_3", "pat@example.com", { status: "declined" });
  office.addInvite("inv_4", "sam@example.com", { status: "accepted" });
  me.invites = [{ id: "inv_9", tenant: "north", name: "North", role: "agent", invited_by_email: "ben@example.com" }];
}

it("an owner invites, sends again, revokes, changes a role and removes a member, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page, office } = world;
  await world.open(TEAM);
  const members = page.getByRole("list", { name: "Members" }).getByRole("listitem");
  const invites = page.getByRole("list", { name: "Open invites" }).getByRole("listitem");
  await invites.nth(2).waitFor();
  expect(await members.nth(1).innerText()).toContain("Ben <b>Hale</b>");
  expect(await page.getByText("sam@example.com").count()).toBe(0);

  // An invite of one's own waits for an answer.
  await press(page, "Decline: North");
  await eventually(() => world.calls).toContain("POST /console/invites/{id}/decline");

  await press(page, "Invite someone");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email address").fill("kim@example.com");
  await dialog.getByLabel("Admin").press("Space");
  await page.keyboard.press("Enter");
  await press(page, "Send the invite");
  await dialog.getByText("This address is a member already, or has an invite.").waitFor();
  await dialog.getByLabel("Email address").fill("new@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("An invite is on its way to new@example.com.").waitFor();
  expect(office.invites.at(-1)).toMatchObject({ email: "new@example.com", role: "admin" });
  await press(page, "Send again: lou@example.com");
  await page.getByText("The invite is sent to lou@example.com again.").waitFor();
  await press(page, "Revoke: kim@example.com");
  await press(page, "Revoke");
  await invites.filter({ hasText: "kim@example.com" }).waitFor({ state: "detached" });

  // The last owner stays one.
  await press(page, "Actions for Mia");
  await press(page, "Change role");
  await dialog.getByLabel("Agent").press("Space");
  await press(page, "Save");
  await dialog.getByText("A workspace keeps at least one owner.").waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Actions for Ben <b>Hale</b>");
  await press(page, "Change role");
  await dialog.getByLabel("Admin").press("Space");
  await press(page, "Save");
  await dialog.waitFor({ state: "detached" });
  await eventually(() => members.nth(1).innerText()).toContain("Admin");
  await press(page, "Actions for Ben <b>Hale</b>");
  await press(page, "Remove");
  await dialog.getByLabel("Type usr_ben@example.com to confirm").fill("usr_ben@example.com");
  await page.keyboard.press("Enter");
  await members.nth(1).waitFor({ state: "detached" });
  expect(office.members.map(({ user_id }) => user_id)).toEqual(["usr_me"]);

  await expectWaysOn(world, "GET /console/team", "ul[aria-label=Members]");
  expect(world.complaints).toEqual([]);
});

it("an owner chooses the language of mails, and reads why it was not stored", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page, failures } = world;
  await world.open(TEAM);
  const part = page.locator("section", { hasText: "Language of mails" }).locator(".rowset");
  await part.getByText("English", { exact: true }).waitFor();
  failures.set("PATCH /console/tenants/{slug}", { status: 503, code: "unavailable" });
  await press(page, "Change the language");
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("radio", { checked: true }).getAttribute("name")).toBe("language");
  expect(await dialog.getByLabel("English").isChecked()).toBe(true);
  await dialog.getByLabel("German").press("Space");
  await press(page, "Save");
  await dialog.getByRole("alert").getByText(/\w/).waitFor();
  await part.getByText("English", { exact: true }).waitFor();
  failures.clear();
  await press(page, "Save");
  await page.getByText("Mails of this workspace are in German now.").waitFor();
  await part.getByText("German", { exact: true }).waitFor();
  expect(world.workspaces).toMatchObject([{ language: "de" }]);
  // It opens with what is stored, also after a choice that was not saved.
  await press(page, "Change the language");
  await dialog.getByLabel("French").press("Space");
  await page.keyboard.press("Escape");
  await press(page, "Change the language");
  expect(await dialog.getByLabel("German").isChecked()).toBe(true);
  expect(world.complaints).toEqual([]);
});

it("an agent sees the members alone, and an admin invites no owner", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.workspaces = [workspace("acme", "Acme", { role: "agent" })];
  await world.open(TEAM);
  await page.getByRole("button", { name: "Actions for Mia" }).click();
  expect(await page.getByRole("dialog").getByRole("button").allInnerTexts()).toEqual(["Leave the workspace"]);
  expect(
    await page.getByRole("button", { name: /^(Invite someone|Actions for Ben|Revoke|Send again|Change the)/ }).count(),
  ).toBe(0);
  expect(world.calls).not.toContain("GET /console/invites");
  world.workspaces = [workspace("acme", "Acme", { role: "admin" })];
  await page.reload();
  await page.getByRole("button", { name: "Invite someone" }).click();
  await page.getByRole("radio", { name: "Admin" }).waitFor();
  expect(await page.getByRole("radio").count()).toBe(2);
  await page.keyboard.press("Escape");
  expect(await page.getByRole("button", { name: /^Send again/ }).count()).toBe(1);
  expect(await page.getByText("Language of mails").count()).toBe(0);
});

it("the page of the team has no violation that axe finds, and fits a phone and a thumb", async () => {
  await expectAccessible([browser, server], fill, [
    { path: TEAM, shown: "ul[aria-label='Open invites']" },
    {
      path: TEAM,
      steps: (page) => page.getByRole("button", { name: "Invite someone" }).click(),
      shown: "dialog[open] input[type=radio]",
    },
    {
      path: TEAM,
      steps: (page) => page.getByRole("button", { name: "Change the language" }).click(),
      shown: "dialog[open] input[name=language]",
    },
    {
      path: TEAM,
      steps: async (page) => {
        await page.getByRole("button", { name: "Actions for Mia" }).click();
        await page.getByRole("button", { name: "Leave the workspace" }).click();
      },
      shown: "dialog[open] .danger",
    },
  ]);
});
