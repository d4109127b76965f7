import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import {
  eventually,
  expectAccessible,
  expectRole,
  expectWaysOn,
  openAdmin,
  press,
  tracesOf,
} from "../support/admin-page.ts";
import { KEY_SECRET } from "../support/office-model.ts";
import { HOUR, type SmallWorld } from "../support/small-world.ts";

const KEYS = "/app/acme/keys";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

function fill({ office }: SmallWorld): void {
  office.addKey("desk", "Order desk");
  office.addKey("gone", "\u202eOld <b>one</b>", { status: "revoked" });
  office.addKey("idle", "", { last_used_at: new Date(Date.now() - 100 * 24 * HOUR).toISOString() });
}

it("an admin creates a key, stores its secret and revokes another one, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page, office } = world;
  await world.open(KEYS);
  const rows = page.getByRole("table", { name: "Keys" }).locator("tbody tr");
  await rows.nth(2).waitFor();
  expect(await rows.nth(1).innerText()).toMatch(/without a name\s+Unused for 90 days/);
  expect(await rows.nth(2).innerText()).toMatch(/^Old <b>one<\/b>[\s\S]*Revoked$/);

  await press(page, "Create a key");
  await page.getByRole("textbox").fill("a".repeat(101));
  await page.keyboard.press("Enter");
  await page.getByText("Enter at most 100 characters in one line.").waitFor();
  await page.getByRole("textbox").fill("Nightly report");
  // A test key is strict and a live one is not, until the person chooses.
  const strict = page.getByRole("checkbox", { name: "Refuse unknown names" });
  expect(await strict.isChecked()).toBe(false);
  await page.getByRole("radio", { name: "test" }).press("Space");
  expect(await strict.isChecked()).toBe(true);
  world.failures.set("POST /v1/keys", { status: 409, code: "key_limit" });
  await press(page, "Create");
  await page.getByText("The workspace has as many keys as it may.").waitFor();
  world.failures.set("POST /v1/keys", { status: 0 });
  await press(page, "Create");
  await page.getByText("The answer was lost, so the key may exist.").waitFor();
  world.failures.clear();
  await press(page, "Create");
  const dialog = page.getByRole("dialog", { name: "Copy the key now" });
  await dialog.waitFor();
  expect(await dialog.locator(".secret code").innerText()).toBe(KEY_SECRET);
  expect(await dialog.getByText("Nightly report · test").count()).toBe(1);
  expect(office.keys.at(-1)).toMatchObject({ label: "Nightly report", scope: "test", strict: true });
  await rows.filter({ hasText: "Nightly report" }).getByText("strict", { exact: true }).waitFor();
  // What does not show that the key was stored closes nothing.
  await page.keyboard.press("Escape");
  await page.mouse.click(20, 450);
  await page.goBack();
  await page.keyboard.press("Control+k");
  await press(page, "Done");
  await dialog.getByText("Copy it first, or confirm that you have stored it.").waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(page, "Copy");
  await dialog.getByText("Copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(KEY_SECRET);
  await press(page, "Done");
  await dialog.waitFor({ state: "detached" });
  expect(await tracesOf(world)).not.toContain(KEY_SECRET);
  expect(await page.content()).not.toContain(KEY_SECRET);

  await press(page, "Revoke Order desk");
  await page.getByRole("dialog").getByText("The next call with svc_live_desk… is refused.").waitFor();
  await press(page, "Revoke");
  await page.getByText("Order desk is revoked.").waitFor();
  await eventually(() => rows.filter({ hasText: "Order desk" }).innerText()).toContain("Revoked");
  expect(office.keys.filter(({ status }) => status === "revoked").map(({ id }) => id)).toEqual(["desk", "gone"]);

  await expectWaysOn(world, "GET /v1/keys", ".cards tbody tr");
  await expectRole(world, "agent", KEYS, "API keys");
  expect(world.complaints).toEqual([]);
});

it("the page of keys has no violation that axe finds, and fits a phone and a thumb", async () => {
  const create = (page: Page) => page.getByRole("button", { name: "Create a key" }).click();
  await expectAccessible([browser, server], fill, [
    { path: KEYS, shown: ".cards tbody tr" },
    { path: KEYS, steps: create, shown: "dialog[open] input" },
    {
      path: KEYS,
      steps: async (page) => {
        await create(page);
        await page.getByRole("button", { name: "Create", exact: true }).click();
      },
      shown: ".secret",
    },
    {
      path: KEYS,
      steps: (page) => page.getByRole("button", { name: "Revoke Order desk" }).click(),
      shown: "dialog[open] .danger",
    },
  ]);
});
