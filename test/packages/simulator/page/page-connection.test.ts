import { describe, expect, test } from "vitest";
import { simulatedAppIds } from "../../../../packages/simulator/src/world/app-ids.ts";
import { testAccounts } from "../simulator-fixture.ts";
import { deletionPage, messenger, useSimulatorPage } from "./page-fixture.ts";

// What connects the app to an account, in a real Chromium: the dialog of an account, and the consent pages.

const at = useSimulatorPage();
const knob = (name: string) => at.page.getByRole("region", { name, exact: true });

async function openConnection(name: string): Promise<void> {
  await at.page.getByRole("button", { name: `Actions of ${name}`, exact: true }).click();
  await at.page.getByRole("menuitem", { name: "Subscription, token and limits…" }).click();
}

const instagramName = `${testAccounts.login.displayName}, Instagram`;

test("the dialog of an account ends the subscription, the token and the sends, and restores each", async () => {
  await openConnection(instagramName);
  await knob("Subscription").getByText("The app gets 6 fields").waitFor();
  await at.expectAccessible("always");
  await knob("Subscription").getByRole("button", { name: "End the subscription" }).click();
  await knob("Subscription").getByText("The platform ended it").waitFor();
  expect(await at.page.locator("#webhooks").textContent()).toBe("A subscription is off");
  await knob("Subscription").getByRole("button", { name: "Subscribe the app again" }).click();
  await knob("Subscription").getByText("The app gets").waitFor();

  await knob("Token").getByRole("button", { name: "Let 7 days be left" }).click();
  await knob("Token").getByText("It expires in 7 d.").waitFor();
  for (const [action, text] of [
    ["Expire", "190/463"],
    ["Revoke", "190/460"],
    ["Checkpoint", "190/459"],
  ] as const) {
    await knob("Token").getByRole("button", { name: action, exact: true }).click();
    await knob("Token").getByText(text).waitFor();
    await knob("Token").getByRole("button", { name: "Restore" }).click();
    await knob("Token").getByText("The platform accepts it.").waitFor();
  }

  await knob("Sends").getByRole("button", { name: "Restrict for an hour" }).click();
  await knob("Sends").getByText("Refused with 10/1893063").waitFor();
  await knob("Sends").getByRole("button", { name: "Lift the restriction" }).click();
  await knob("Sends").getByText("The platform accepts them.").waitFor();
  expect(at.complaints).toEqual([]);
});

test("the dialog of an account sends the callbacks, shows the answer and links the status page of a deletion", async () => {
  await at.openPerson(messenger);
  await openConnection(`${testAccounts.messenger.displayName}, Messenger`);
  const callbacks = knob("Callbacks of the platform");
  await callbacks.getByLabel("Sign with a wrong secret").check();
  await callbacks.getByRole("button", { name: "Ask for the deletion of data" }).click();
  await at.page.getByText(`/platform/data-deletion answered 200: {"url":"${deletionPage}"`).waitFor();
  const link = at.page.getByRole("link", { name: "Open the status page" });
  expect(await link.getAttribute("href")).toBe(deletionPage);
  await at.expectAccessible("always");
  expect(await knob("Token").textContent()).toContain("It does not expire.");
  await callbacks.getByLabel("Sign with a wrong secret").uncheck();
  await callbacks.getByRole("button", { name: "Remove the app" }).click();
  await at.page.getByText("/platform/deauthorize answered 200: EVENT_RECEIVED").waitFor();
  expect(await link.count()).toBe(0);
  await knob("Token").getByText("190/458").waitFor();
  const { externalId: account, connection } = testAccounts.messenger;
  await at.simulator.control("/tokens", { account, connection, action: "restore" });
});

test("the dialog of an account is reached, used and left with the keyboard", async () => {
  await at.page.getByRole("button", { name: `Actions of ${instagramName}`, exact: true }).focus();
  await at.page.keyboard.press("Enter");
  await at.page.keyboard.press("End");
  await at.page.keyboard.press("Enter");
  await knob("Sends").getByRole("button", { name: "Restrict for an hour" }).focus();
  await at.page.keyboard.press("Enter");
  await knob("Sends").getByText("Refused with").waitFor();
  await knob("Sends").getByRole("button", { name: "Lift the restriction" }).focus();
  await at.page.keyboard.press("Enter");
  await at.page.keyboard.press("Escape");
  expect(await at.page.locator("#connection-dialog").isVisible()).toBe(false);
  expect(await at.focusedName()).toBe(`Actions of ${instagramName}`);
});

describe("a consent page", () => {
  const url = (path: string, query: Record<string, string>): string =>
    `${at.simulator.url}${path}?${new URLSearchParams({ redirect_uri: `${at.simulator.appUrl}/back`, state: "s", ...query })}`;
  const instagramUrl = () =>
    url("/instagram_www/oauth/authorize", {
      client_id: simulatedAppIds.instagram,
      scope: "instagram_business_basic,instagram_business_manage_messages",
    });
  const facebookUrl = () =>
    url("/facebook_www/v26.0/dialog/oauth", {
      client_id: simulatedAppIds.meta,
      scope: "pages_show_list,pages_messaging,pages_manage_metadata",
    });
  const landing = async (): Promise<URL> => {
    await at.page.waitForURL(`${at.simulator.appUrl}/back?**`);
    return new URL(at.page.url());
  };

  test("a consent page of Instagram is answered with the keyboard alone", async () => {
    await at.page.goto(instagramUrl());
    await at.expectAccessible();
    await at.page.keyboard.press("Tab");
    await at.page.keyboard.press("ArrowDown");
    expect(await at.page.getByRole("radio", { name: "Fern & Field" }).isChecked()).toBe(true);
    await at.page.keyboard.press("Tab");
    await at.page.keyboard.press("Space");
    expect(await at.page.getByRole("checkbox", { name: "Access and manage messages" }).isChecked()).toBe(false);
    await at.page.getByRole("button", { name: "Allow" }).focus();
    await at.page.keyboard.press("Enter");
    const { searchParams } = await landing();
    expect(searchParams.get("code")).toEqual(expect.any(String));
    expect(searchParams.get("state")).toBe("s");
  });

  test("a consent page of Facebook fits 390 px, and cancels", async () => {
    await at.page.setViewportSize({ width: 390, height: 844 });
    try {
      await at.page.goto(facebookUrl());
      await at.expectAccessible();
      expect(await at.inPage("document.documentElement.scrollWidth")).toBe(390);
      await at.page.getByRole("button", { name: "Cancel" }).click();
      expect((await landing()).searchParams.get("error")).toBe("access_denied");
    } finally {
      await at.page.setViewportSize({ width: 1440, height: 900 });
    }
  });
});
