import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { simulatorPageUrl } from "../../../../packages/simulator/src/page-url.ts";
import { testControlToken } from "../../../support/access/control-token.ts";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { useSimulatorPage } from "./page-fixture.ts";

const at = useSimulatorPage();
const token = testControlToken.value;

/** A tab that was not opened with the token. */
let tab: Page;
beforeEach(async () => {
  tab = await at.page.context().newPage();
  tab.setDefaultTimeout(15_000);
});
afterEach(() => tab.close());

const dialog = () => tab.getByRole("dialog", { name: "Control token" });
const contact = () => tab.locator(".contact", { hasText: at.name });

async function enterToken(text: string): Promise<void> {
  await dialog().getByLabel("Token", { exact: true }).fill(text);
  await dialog().getByRole("button", { name: "Continue" }).click();
}

test("a tab without the token shows nothing but where the token is, and works once it is entered", async () => {
  await tab.goto(at.simulator.url);
  await dialog().getByText("Missing control token.").waitFor();
  expect(await dialog().textContent()).toContain(testControlToken.location);
  expect(await accessibilityViolations(tab)).toEqual([]);
  expect(await tab.locator(".contact").count()).toBe(0);

  await enterToken("0".repeat(token.length));
  await dialog().getByText("Wrong control token.").waitFor();
  expect(await tab.locator(".contact").count()).toBe(0);

  await enterToken(` ${token} `);
  await contact().waitFor();
  expect(await dialog().isVisible()).toBe(false);
  await tab.reload();
  await contact().waitFor();
  expect(await dialog().isVisible()).toBe(false);
});

test("the printed link opens the page, and the token leaves the address", async () => {
  await tab.goto(simulatorPageUrl(at.simulator.url, token));
  await contact().waitFor();
  expect(tab.url()).not.toContain(token);
  expect(await tab.evaluate("history.length")).toBe(2);
  await contact().click();
  await tab.reload();
  await tab.getByRole("heading", { name: at.name, exact: true }).waitFor();
});

test("a link that is opened in a tab that asks for the token is accepted", async () => {
  await tab.goto(at.simulator.url);
  await dialog().waitFor();
  await tab.goto(simulatorPageUrl(at.simulator.url, token));
  await contact().waitFor();
  expect(await dialog().isVisible()).toBe(false);
  expect(tab.url()).not.toContain(token);
});

test("another tab, and a page of another origin, have no token of this one", async () => {
  await tab.goto(simulatorPageUrl(at.simulator.url, token));
  await contact().waitFor();
  const other = await at.page.context().newPage();
  for (const url of [at.simulator.url, at.simulator.url.replace("127.0.0.1", "localhost")]) {
    await other.goto(url);
    expect(await other.evaluate("sessionStorage.length + localStorage.length + document.cookie.length")).toBe(0);
  }
  await other.close();
});
