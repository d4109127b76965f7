import { expect, test } from "vitest";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { layoutProblems } from "../../../web/support/layout-problems.ts";
import { testApps } from "../accounts/login-fixture.ts";
import { useSimulatorPage } from "./page-fixture.ts";

const at = useSimulatorPage();
const login = { redirect_uri: "http://127.0.0.1:1/back", response_type: "code", state: "s" };
const pages = [
  ["the login with Instagram", "/instagram_www/oauth/authorize", testApps.instagram],
  ["the login with Facebook", "/facebook_www/v26.0/dialog/oauth", testApps.meta],
  ["a login that is refused", "/facebook_www/v26.0/dialog/oauth", "1"],
] as const;
const scopes: Readonly<Record<string, string>> = {
  [testApps.instagram]: "instagram_business_basic,instagram_business_manage_messages",
};

test.each([1_440, 390, 320])("each consent page of a login is readable at %i px, in light and dark", async (width) => {
  const context = await at.page
    .context()
    .browser()
    ?.newContext({ bypassCSP: true, viewport: { width, height: 844 } });
  if (context === undefined) throw new Error("The browser is closed.");
  const page = await context.newPage();
  for (const [name, path, app] of pages) {
    const scope = scopes[app] ?? "pages_show_list,pages_messaging,pages_manage_metadata";
    const query = new URLSearchParams({ ...login, client_id: app, scope });
    await page.goto(`${at.simulator.url}${path}?${query}`);
    await page.getByRole("heading", { level: 1, name: app === "1" ? /refuses this login/ : /Log in with/ }).waitFor();
    // Its label is what a thumb presses.
    const problems = (await layoutProblems(page)).filter((problem) => !problem.startsWith("is small: <input"));
    expect([name, ...problems]).toEqual([name]);
    for (const label of await page.locator("label").all())
      expect((await label.boundingBox())?.height, name).toBeGreaterThan(43);
    expect([name, ...(await accessibilityViolations(page))]).toEqual([name]);
  }
  await context.close();
});
