import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { CheckServer, HeldMessage } from "./check-server.ts";

export interface PageVisit {
  readonly page: Page;
  /** The URLs of all requests of the page. */
  readonly requestedUrls: string[];
  /** Errors that the page threw, and violations of its content security policy. */
  readonly complaints: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** Replaces the clock of the page, starting at this time. */
  readonly clockAt?: number;
}

/** Opens a hold's link in a new browser context. The caller closes the browser's contexts. */
export function visitHold(
  browser: Browser,
  server: CheckServer,
  hold: HeldMessage,
  options: VisitOptions = {},
): Promise<PageVisit> {
  return openPage(browser, server.linkTo(hold), options);
}

/** Like `visitHold`, with the link itself. */
export async function openPage(
  browser: Browser,
  link: string,
  { clockAt, ...options }: VisitOptions = {},
): Promise<PageVisit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const visit: PageVisit = { page, requestedUrls: [], complaints: [] };
  page.on("request", (request) => visit.requestedUrls.push(request.url()));
  page.on("pageerror", (error) => visit.complaints.push(error.message));
  page.on("console", (line) => {
    if (/Content.Security.Policy/i.test(line.text())) visit.complaints.push(line.text());
  });
  if (clockAt !== undefined) await page.clock.install({ time: clockAt });
  await page.goto(link);
  return visit;
}

export async function waitForHeading(page: Page, text: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: text, exact: true }).waitFor();
}

/** Presses the only button of the page and checks its name. */
export async function pressButton(page: Page, name = "Check and send"): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}
