import { expect, it } from "vitest";
import { ConsoleWorld } from "../../web/console/support/console-world.ts";
import { field, rowOf } from "../../web/console/support/inbox-page.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";

// What may be sent until when follows the server's clock, however wrong the machine's is.

const HOUR = 3_600_000;
const browser = openedBrowser();

const windows = [
  {
    name: "Anna Berg",
    minutes: 23.5 * 60 - 0.5,
    ring: "closing",
    pill: "30 min",
    rule: /^You can reply until .* for 30 min more/,
  },
  {
    name: "Ole Dahl",
    minutes: 9 * 60 - 0.5,
    ring: "open",
    pill: "15 h",
    rule: /^You can reply until .* for 15 h more/,
  },
  {
    name: "Ida Lund",
    minutes: 143 * 60 - 0.5,
    ring: "person",
    pill: "1 d",
    rule: /^The 24 hours are over\..* as a person until/,
  },
] as const;

it.each([
  ["five hours slow", 5 * HOUR, "open"],
  ["five hours fast", -5 * HOUR, "open"],
  ["three days fast, before the stream stands", -72 * HOUR, "without"],
] as const)("ring, pill and rule are right on a machine whose clock is %s", async (_, clockSkew, stream) => {
  const world = await ConsoleWorld.open(browser);
  world.model.clockSkew = clockSkew;
  if (stream === "without") await world.dropSocket({ refuses: true });
  const ids = windows.map(({ name, minutes }) => world.inbox.add(name, [minutes]));
  for (const [index, { name, ring, pill, rule }] of windows.entries()) {
    const page = await world.visit(ids[index] ?? "", { waitsForStream: stream === "open" });
    const row = rowOf(page, name);
    await row.locator(`.ring.${ring}`).waitFor();
    expect(await row.locator(".pill").innerText()).toContain(pill);
    expect(await page.locator(".rule").innerText()).toMatch(rule);
    expect(await page.locator(`.life.${ring}`).count()).toBe(1);
    await page.close();
  }
});

it("a window that closes while somebody types changes the composer and keeps the text and the focus", async () => {
  const world = await ConsoleWorld.open(browser);
  world.model.clockSkew = 5 * HOUR;
  const anna = world.inbox.add("Anna Berg", [24 * 60 - 0.1]);
  const page = await world.visit(anna);
  await page.locator(".rule", { hasText: "You can reply until" }).waitFor();
  await field(page).fill("Almost too la");
  await page.locator(".rule", { hasText: "The 24 hours are over." }).waitFor();
  await page.keyboard.type("te");
  expect(await field(page).inputValue()).toBe("Almost too late");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Send as Mara" }).waitFor();
  expect(world.callsOf("POST /v1/messages/reply")).toEqual([]);
  expect(world.complaints).toEqual([]);
});
