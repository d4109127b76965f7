import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { accessibilityViolations } from "../../web/support/accessibility.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { openFilledWorld, reach, states } from "./support/states.ts";

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);

// Light and dark; a phone has no keys to list; 720 by 450 is a window of 1440 by 900 at 200 %.
const views = [
  { view: "at 1440 px", options: { viewport: { width: 1440, height: 900 } } },
  { view: "at 200 %", options: { viewport: { width: 720, height: 450 } } },
  { view: "at 1024 px", options: { viewport: { width: 1024, height: 768 } } },
  { view: "at 390 px", options: { viewport: { width: 390, height: 844 } } },
  { view: "at 320 px", options: { viewport: { width: 320, height: 568 } } },
  { view: "in forced colors", options: { viewport: { width: 1440, height: 900 }, forcedColors: "active" as const } },
];

const all = states.flatMap((state) => views.map((view) => ({ ...state, ...view })));

// At 1024 px only the sheet of the person differs from 1440 px.
const isOwn = ({ name, view }: (typeof all)[number]) =>
  view === "at 1024 px"
    ? /^the (person|question before an erasure)/.test(name)
    : name !== "the keys" || (view !== "at 390 px" && view !== "at 320 px");

it.each(all.filter(isOwn))("$name $view has no violation that axe finds", async ({ options, ...state }) => {
  const world = await openFilledWorld(browser, server, { ...options, bypassCSP: true, reducedMotion: "reduce" });
  await reach(world, state);
  expect(await accessibilityViolations(world.page)).toEqual([]);
  // Axe finds no window that scrolls sideways.
  expect(await world.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  // Axe asks no element `dialog` for its name.
  const dialogs = await world.page.getByRole("dialog").count();
  expect(await world.page.getByRole("dialog", { name: /\S/ }).count()).toBe(dialogs);
  await world.page.context().close();
});
