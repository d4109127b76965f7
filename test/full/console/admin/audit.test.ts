import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { eventually, expectAccessible, expectRole, expectWaysOn, openAdmin, press } from "../support/admin-page.ts";
import type { SmallWorld } from "../support/small-world.ts";

const AUDIT = "/app/acme/audit";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

function fill({ office }: SmallWorld): void {
  office.addMember("usr_me", "Mia", "owner");
  office.addMember("usr_ben", "\u202eBen <b>Hale</b>", "agent");
  office.addKey("desk", "Order desk");
  office.addEntry("webhook.bulk_replay", "console:usr_ben", { enqueued: 44 });
  office.addEntry("conversation.erase", "key:desk", { messages: 41 });
  office.addEntry("webhook.auto_pause", "system", { reason: "failing" });
  for (let count = 0; count < 9; count++) office.addEntry("session.sign_in", "console:usr_me");
  office.addEntry("tenant.create", "cli");
}

it("an admin reads what was done in sentences, page by page, filters it and saves it, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill, { acceptDownloads: true });
  const { page } = world;
  await world.open(AUDIT);
  const rows = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await rows.nth(4).waitFor();
  await eventually(async () =>
    (await rows.allInnerTexts()).slice(0, 4).map((text) => text.split("\t").slice(1, 3)),
  ).toEqual([
    ["Ben <b>Hale</b>", "sent 44 deliveries again"],
    ["key Order desk", "erased a conversation, 41 messages"],
    ["Parley", "paused an endpoint that failed for five days"],
    ["You", "signed in"],
  ]);
  await press(page, "Show more");
  await eventually(() => rows.count()).toBe(10);

  const saved = page.waitForEvent("download");
  await press(page, "Download CSV");
  const file = await saved;
  expect(file.suggestedFilename()).toBe("audit-acme.csv");
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  expect([lines[0], lines.length]).toEqual(["\ufeffat,actor,name,action,resource,ip,detail,id", 12]);
  expect(lines[2]).toContain(",key:desk,key Order desk,conversation.erase,");

  await page.getByLabel("Action").selectOption("tenant.create");
  await eventually(() => rows.count()).toBe(1);
  expect(await rows.first().innerText()).toContain("the operator");
  expect(world.requestedUrls.some((url) => url.includes("action=tenant.create"))).toBe(true);
  await page.getByLabel("Who").selectOption({ label: "Parley" });
  await page.getByText("No row matches.").waitFor();
  await page.getByLabel("Action").selectOption("");
  await eventually(() => rows.count()).toBe(1);
  await page.getByLabel("Time").selectOption("day");
  await eventually(() => world.requestedUrls.some((url) => /actor=system&from=20/.test(url))).toBe(true);

  await expectWaysOn(world, "GET /v1/audit", ".audit tbody tr");
  await expectRole(world, "agent", AUDIT, "Audit");
  expect(world.complaints).toEqual([]);
});

it("the audit page has no violation that axe finds, and fits a phone and a thumb", async () => {
  await expectAccessible([browser, server], fill, [
    { path: AUDIT, shown: ".audit tbody tr" },
    { path: AUDIT, steps: (page) => page.getByLabel("Time").selectOption("own"), shown: ".field input" },
  ]);
});
