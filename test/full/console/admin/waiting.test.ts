import { expect, it } from "vitest";
import { openedOnce } from "../../../support/opened.ts";
import { startConsoleServer } from "../../../web/support/console-server.ts";
import { openedBrowser } from "../../../web/support/page-visit.ts";
import { eventually, expectAccessible, expectWaysOn, openAdmin, press } from "../support/admin-page.ts";
import { account, conversationId, HOUR, personOf, type SmallWorld, workspace } from "../support/small-world.ts";
import { openCircuit } from "../support/webhook-model.ts";

const WAITING = "/app/acme/waiting";
const LIST = "ul[aria-label='What waits']";
const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

/** One of each thing that waits, with a name that a stranger chose, and one of each that does not. */
function fill(world: SmallWorld): void {
  world.accounts = [
    account("Well"),
    account("\u202eDead <b>shop</b>", { account_key: "instagram#2", status: "needs_reauth" }),
    account("Gaps", { account_key: "instagram#3", missing_since: ago(30) }),
  ];
  world.webhooks.addEndpoint("we_well", "https://well.example/");
  world.webhooks.addEndpoint("we_open", "https://open.example/hook", openCircuit(ago(2), ago(-1)));
  world.webhooks.addEndpoint("we_paused", "https://paused.example/", { status: "paused", paused_by: "system" });
  world.office.addKey("old", "Till", { last_used_at: ago(2_400) });
  world.office.addKey("new", "Web shop");
  world.add(personOf("995", 30));
  world.me.invites = [
    {
      id: "inv_9",
      tenant: "north",
      name: "North",
      role: "agent",
      invited_by_email: "ben@example.com",
      expires_at: ago(-48),
    },
  ];
}

/** A hold that a colleague's page or a program created. */
function holdFrame(minutes: number) {
  const hold = {
    id: "hold_7",
    status: "awaiting_verification",
    conversation_id: conversationId("995"),
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + minutes * 60_000).toISOString(),
  };
  return { id: "evt_h7", type: "hold.updated", tenant_id: "acme", created_at: hold.created_at, data: { hold } };
}

it("the rail counts what waits, and each entry opens the place where it is done, by keyboard alone", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  await world.open();
  const link = page.getByRole("navigation").getByRole("link", { name: /^Waiting/ });
  await eventually(() => link.innerText()).toMatch(/6$/);
  expect(world.calls.filter((call) => /\/v1\/(webhooks|keys|audit)/.test(call)).sort()).toEqual([
    "GET /v1/keys",
    "GET /v1/webhooks",
  ]);
  await eventually(() => world.isLive).toBe(true);
  world.push(holdFrame(3));
  await eventually(() => link.innerText()).toMatch(/7$/);
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  const entries = page.locator(`${LIST} > li`);
  await eventually(() => entries.count()).toBe(7);
  const texts = await entries.allInnerTexts();
  expect(texts.map((text) => text.split("\n")[0])).toEqual([
    "Held message to Person 995",
    "Dead <b>shop</b>, Instagram",
    "paused.example",
    "Gaps, Instagram",
    "open.example",
    "North (north)",
    "Till",
  ]);
  expect(world.calls.filter((call) => call === "GET /v1/audit")).toHaveLength(1);
  for (const [name, path] of [
    ["Open: Held message to Person 995", /\/inbox\/instagram\/178414\/995$/],
    ["Connect again: Dead <b>shop</b>, Instagram", /\/acme\/accounts$/],
    ["Open the endpoint: paused.example", /\/webhooks\/we_paused$/],
    ["Open the keys: Till", /\/acme\/keys$/],
  ] as const) {
    await page.getByRole("link", { name, exact: true }).press("Enter");
    await page.waitForURL(path);
    await page.goBack();
    await page.locator(LIST).waitFor();
  }
  expect(world.complaints).toEqual([]);
});

it("an invite is accepted from the list, and its workspace opens; one that ended says so", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  await world.open(WAITING);
  world.failures.set("POST /console/invites/{id}/accept", { status: 500, code: "internal_error" });
  await press(page, "Accept: North");
  await page.locator(LIST).getByText("Try again in a minute.").waitFor();
  world.failures.delete("POST /console/invites/{id}/accept");
  await page.locator(LIST).waitFor();
  const { invites } = world.me;
  world.me.invites = [];
  world.workspaces.push(workspace("north", "North", { role: "agent" }));
  await press(page, "Accept: North");
  const notice = page.locator(".notice", { hasText: "You belong to North (north) now." });
  await notice.getByRole("button", { name: "Open" }).click();
  await page.waitForURL("**/app/north/inbox");

  world.me.invites = invites;
  await world.open(WAITING);
  await page.getByRole("button", { name: "Decline: North" }).waitFor();
  world.me.invites = [];
  world.failures.set("POST /console/invites/{id}/decline", { status: 404, code: "invite_not_found" });
  await press(page, "Decline: North");
  await page.locator(".notice", { hasText: "The invite to North has ended." }).waitFor();
  await page.getByRole("button", { name: "Decline: North" }).waitFor({ state: "detached" });
  expect(world.complaints).toEqual([]);
});

it("what was mended leaves the list with its event, and without entries all is well", async () => {
  const world = await openAdmin([browser, server], (each) => {
    fill(each);
    each.me.invites = [];
    each.webhooks.endpoints.splice(1);
    each.office.keys.splice(0, 1);
  });
  const { page } = world;
  await world.open(WAITING);
  await eventually(() => page.locator(`${LIST} > li`).count()).toBe(2);
  await eventually(() => world.isLive).toBe(true);
  world.accounts = [account("Well")];
  const frame = { id: "evt_a1", type: "account.recovered", tenant_id: "acme", created_at: ago(0), data: {} };
  for (const copy of [0, 1, 2]) world.push({ ...frame, id: `evt_a${copy}` });
  await page.getByRole("heading", { name: "All is well" }).waitFor();
  expect(
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^Waiting/ })
      .innerText(),
  ).toBe("Waiting");
  world.webhooks.endpoints.push({ ...world.webhooks.endpoints[0], status: "paused", paused_by: "system" } as never);
  world.push({ ...frame, id: "evt_w1", type: "webhook.paused" });
  await page.locator(`${LIST} > li`, { hasText: "well.example" }).waitFor();
  expect(world.complaints).toEqual([]);
});

it("an agent asks for no list of admins, and a list that cannot be read is not well", async () => {
  const world = await openAdmin([browser, server], fill);
  const { page } = world;
  world.workspaces = [workspace("acme", "Acme", { role: "agent" })];
  await world.open(WAITING);
  await eventually(() => page.locator(`${LIST} > li`).count()).toBe(3);
  await page.getByRole("link", { name: "See the account: Gaps, Instagram" }).waitFor();
  expect(world.calls.filter((call) => /\/v1\/(webhooks|keys|audit)/.test(call))).toEqual([]);

  world.workspaces = [workspace("acme", "Acme")];
  world.me.invites = [];
  world.accounts = [];
  world.office.keys.splice(0);
  world.webhooks.endpoints.splice(1);
  await expectWaysOn(world, "GET /v1/webhooks", ".all-well");
  world.failures.set("GET /v1/keys", { status: 500, code: "internal_error" });
  await page.reload();
  await page.getByText("The keys could not be checked.").waitFor();
  expect(await page.locator(".all-well").count()).toBe(0);
});

it("the list has no violation that axe finds, and fits a phone and a thumb", async () => {
  await expectAccessible([browser, server], fill, [{ path: WAITING, shown: `${LIST} > li:nth-child(6)` }]);
  await expectAccessible([browser, server], () => {}, [{ path: WAITING, shown: ".all-well" }]);
});
