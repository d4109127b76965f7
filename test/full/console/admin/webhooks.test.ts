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
import { HOUR, type SmallWorld } from "../support/small-world.ts";
import { openCircuit, SIGNING_SECRET } from "../support/webhook-model.ts";

const LIST = "/app/acme/webhooks";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

function fill({ webhooks }: SmallWorld): void {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  webhooks.addEndpoint("end_1", "https://erp.example/parley", openCircuit(at(-HOUR), at(160_000)));
  webhooks.addEndpoint("end_2", "https://\u202ehooks.example/<img src=x>", { status: "paused", paused_by: "system" });
  for (const status of ["retrying", "failed", "dlq", "blocked", "delivered"] as const) webhooks.addDelivery(status);
  for (let count = 0; count < 30; count++) webhooks.addDelivery(count < 20 ? "dlq" : "delivered");
}

it("an admin adds an endpoint, stores its secret, follows its deliveries, sends them again and deletes it, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page, webhooks } = world;
  await world.open("/app/acme/inbox");
  await page.getByRole("navigation").getByRole("link", { name: "Webhooks" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  const rows = page.getByRole("list", { name: "Endpoints" }).getByRole("listitem");
  await rows.nth(1).waitFor();
  expect(await rows.nth(0).innerText()).toMatch(/Circuit open[\s\S]*32.4%[\s\S]*11 delivered, 23 not/);
  expect(await rows.nth(1).innerText()).toContain("https://hooks.example/<img src=x>");
  expect(await page.title()).toMatch(/^(\(\d+\) )?Webhooks – Parley$/);

  // The dialog of the secret stays until it was copied or confirmed.
  await press(page, "Add an endpoint");
  await page.getByLabel("Address").fill("https://10.0.0.1/");
  await page.keyboard.press("Enter");
  await page.getByText("This address is not allowed.").waitFor();
  await page.getByLabel("Address").fill("https://new.example/hooks");
  await page.getByLabel("Only these").check();
  await page.getByLabel("message.sent").check();
  await press(page, "Add");
  const dialog = page.getByRole("dialog", { name: "Copy the signing secret now" });
  await dialog.waitFor();
  expect(await dialog.locator(".secret code").innerText()).toBe(SIGNING_SECRET);
  expect(await dialog.getByLabel("TypeScript", { exact: true }).last().innerText()).toContain("timingSafeEqual");
  await dialog.getByRole("radio", { name: "TypeScript" }).press("ArrowRight");
  expect(await dialog.innerText()).toContain("hmac.compare_digest");
  expect(await dialog.getByRole("button", { name: "Close" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.mouse.click(20, 450);
  await page.goBack();
  await press(page, "Done");
  await dialog.getByText("Copy it first, or confirm that you have stored it.").waitFor();
  expect(await tracesOf(world)).not.toContain(SIGNING_SECRET);
  await dialog.getByLabel("I have stored it in a safe place").press("Space");
  await press(page, "Done");
  await page.getByRole("heading", { name: "https://new.example/hooks" }).waitFor();
  expect(webhooks.endpoints.at(-1)?.events).toEqual(["message.sent"]);
  expect(await page.content()).not.toContain(SIGNING_SECRET);

  // Deliveries by status, page by page, and one of them.
  await world.open(`${LIST}/end_1`);
  await page.getByText("The circuit is open since").waitFor();
  await page.getByText("The last one failed: no connection.").waitFor();
  const deliveries = page.getByRole("region", { name: "Deliveries" }).locator("tbody tr");
  await eventually(() => deliveries.count()).toBe(10);
  await press(page, "Show more");
  await eventually(() => deliveries.count()).toBe(20);
  await page.getByLabel("Status").selectOption("delivered");
  await eventually(() => deliveries.allInnerTexts()).toHaveLength(10);
  expect((await deliveries.allInnerTexts()).every((text) => text.includes("Delivered"))).toBe(true);
  await page.getByLabel("Event", { exact: true }).selectOption("test.event");
  await page.getByText("No delivery matches.").waitFor();
  await page.getByLabel("Event", { exact: true }).selectOption("");
  await page.getByLabel("Status").selectOption("undelivered");
  await deliveries.nth(1).getByRole("link").focus();
  await page.keyboard.press("Enter");
  const pane = page.getByRole("region", { name: "Delivery", exact: true });
  await pane.getByText("upstream <b>error</b>").waitFor();
  expect(new URL(page.url()).pathname).toBe(`${LIST}/end_1/dlv_2`);
  expect(await pane.getByRole("region", { name: "Body as it is sent" }).innerText()).toContain(`"text": "It's here"`);
  await press(page, "Send again");
  await pane.getByText("It is still being sent by itself.").waitFor();
  expect(webhooks.replayed).toEqual(["dlv_2"]);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(page, "Copy as curl");
  await page.getByText("The command is copied.").waitFor();
  const command: string = await page.evaluate("navigator.clipboard.readText()");
  expect(command).toContain('BODY=\'{"id":"evt_2"');
  expect(command).toContain("'https://erp.example/parley'");
  await press(page, "Close the delivery");
  await eventually(() => page.evaluate("document.activeElement?.id")).toBe("row-dlv_2");
  // What was delivered is sent again after a question only.
  await world.open(`${LIST}/end_1/dlv_5`);
  await press(page, "Send again");
  await page.getByRole("dialog", { name: "Send it again?" }).waitFor();
  await press(page, "Send again");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(webhooks.replayed).toEqual(["dlv_2", "dlv_5"]);

  // A range, after its count.
  await press(page, "Send many again");
  await press(page, "Count");
  await page.getByText("20 deliveries match.").waitFor();
  expect(webhooks.replayed).toHaveLength(2);
  world.failures.set("POST /v1/webhooks/{id}/deliveries/replay", { status: 403, code: "forbidden" });
  await press(page, "Send 20 again");
  await page.getByRole("dialog").getByText("Your role does not allow this.").waitFor();
  world.failures.clear();
  await press(page, "Go on");
  await page.getByText("20 are sent again.").waitFor();
  expect(webhooks.replayed).toHaveLength(22);
  await page.keyboard.press("Escape");

  // Pause, resume, rotate, delete.
  await press(page, "More actions");
  await press(page, "Pause");
  await page.getByRole("dialog", { name: "Pause this endpoint?" }).waitFor();
  await press(page, "Pause");
  await page.getByText("This endpoint is paused.").waitFor();
  await press(page, "Resume");
  await page.getByText("This endpoint is paused.").waitFor({ state: "detached" });
  await press(page, "Rotate secret");
  await page.getByRole("dialog", { name: "Rotate the signing secret?" }).waitFor();
  await press(page, "Rotate secret");
  await press(page, "Copy");
  await dialog.getByText("Copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(SIGNING_SECRET);
  await press(page, "Done");
  await page.getByText("Deliveries are signed with the previous secret, too").waitFor();
  expect(await tracesOf(world)).not.toContain(SIGNING_SECRET);
  await press(page, "More actions");
  await press(page, "Delete");
  await page.getByLabel("Type erp.example to confirm").fill("other.example");
  await press(page, "Delete");
  expect(webhooks.endpoints).toHaveLength(3);
  await page.getByLabel("Type erp.example to confirm").fill("erp.example");
  await page.keyboard.press("Enter");
  await rows.first().waitFor();
  expect(webhooks.endpoints.map(({ id }) => id)).toEqual(["end_2", "end_new"]);

  // Refusals, roles and a script that cannot be fetched.
  await expectWaysOn(world, "GET /v1/webhooks", ".rowset");
  await world.open(`${LIST}/end_1`);
  await page.getByRole("heading", { name: "This endpoint does not exist" }).waitFor();
  await expectRole(world, "agent", LIST, "Webhooks");
  await page.route(/\/assets\/webhooks-page/, (route) => route.abort());
  await world.open(LIST);
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  expect(world.complaints).toEqual([]);
});

it("the pages of webhooks have no violation that axe finds, and fit a phone and a thumb", async () => {
  const button = (name: string) => (page: Page) => page.getByRole("button", { name }).first().click();
  await expectAccessible([browser, server], fill, [
    { path: LIST, shown: ".counts b" },
    { path: LIST, steps: button("Event types"), shown: ".catalog li" },
    {
      path: LIST,
      steps: async (page) => {
        await button("Add an endpoint")(page);
        await page.getByLabel("Only these").check();
      },
      shown: ".event-choice li",
    },
    { path: `${LIST}/end_1`, shown: ".cards tbody tr" },
    { path: `${LIST}/end_1/dlv_2`, shown: ".attempts li" },
    { path: `${LIST}/end_2`, steps: button("Send many again"), shown: "dialog[open]" },
    {
      path: `${LIST}/end_1`,
      steps: async (page) => {
        await button("Rotate secret")(page);
        await page.locator("dialog").getByRole("button", { name: "Rotate secret" }).click();
      },
      shown: ".secret",
    },
  ]);
});
