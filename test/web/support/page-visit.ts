import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterEach } from "vitest";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";
import { testBrowser } from "./browser.ts";
import type { CheckServer, HeldMessage } from "./check-page-server.ts";

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
  /** A tab that lives beside another one. */
  readonly newTab?: boolean;
  /** Replaces the workers by idle ones: `solvePuzzles` answers their puzzles. */
  readonly idleWorkers?: boolean;
}

/** The tab of every visit without options. A new context for each would be most of the tests' work. */
let sharedPage: Page | undefined;

/** Opens a hold's link. Visits without options share one tab. `endVisits` ends them all. */
export function visitHold(
  browser: Browser,
  server: CheckServer,
  hold: HeldMessage,
  options: VisitOptions = {},
): Promise<PageVisit> {
  return openPage(browser, server.linkTo(hold), options);
}

/** Like `visitHold`, with the link itself. */
export async function openPage(browser: Browser, link: string, options: VisitOptions = {}): Promise<PageVisit> {
  const page = await openTab(browser, options);
  const visit: PageVisit = { page, requestedUrls: [], complaints: [] };
  page.on("request", (request) => visit.requestedUrls.push(request.url()));
  page.on("pageerror", (error) => visit.complaints.push(error.message));
  page.on("console", (line) => {
    if (/Content.Security.Policy/i.test(line.text())) visit.complaints.push(line.text());
  });
  await page.goto(link);
  return visit;
}

async function openTab(browser: Browser, { clockAt, newTab, idleWorkers, ...options }: VisitOptions): Promise<Page> {
  const isPlain = clockAt === undefined && !newTab && !idleWorkers && Object.keys(options).length === 0;
  if (isPlain && sharedPage?.isClosed() === false) {
    sharedPage.removeAllListeners();
    // Another page in between, because a link that differs only in its fragment loads nothing.
    await sharedPage.goto("about:blank");
    return sharedPage;
  }
  const context = await browser.newContext(options);
  const page = await context.newPage();
  if (idleWorkers) await context.addInitScript(IDLE_WORKERS);
  if (clockAt !== undefined) await page.clock.install({ time: clockAt });
  if (isPlain) sharedPage = page;
  return page;
}

/** The browser of this worker. What a test opened in it ends with the test. */
export function openedBrowser(): Browser {
  const browser = openedOnce(testBrowser, () => undefined);
  afterEach(() => endVisits(browser));
  return browser;
}

/** Closes every tab but the shared one, which it resets. */
export async function endVisits(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) {
    if (context !== sharedPage?.context()) await context.close();
  }
  if (sharedPage?.isClosed() !== false) return;
  await sharedPage.context().setOffline(false);
  await sharedPage.unrouteAll();
  await sharedPage.emulateMedia({ colorScheme: null, reducedMotion: null });
}

const IDLE_WORKERS = `
  window.puzzles = [];
  window.Worker = class {
    addEventListener(type, listener) { if (type === "message") this.answer = () => listener({ data: 0 }); }
    postMessage() { puzzles.push(this); }
    terminate() {}
  };
`;

/** Answers puzzles of a page with idle workers. */
export async function solvePuzzles(page: Page, count: number): Promise<void> {
  // Not with waitForFunction, whose later polls the page's content security policy refuses.
  await waitFor("a puzzle", () => page.evaluate<boolean>("puzzles.length > 0"));
  await page.evaluate(`for (let i = 0; i < ${count}; i++) puzzles.shift().answer()`);
}

export async function waitForHeading(page: Page, text: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: text, exact: true }).waitFor();
}

/** Presses the only button of the page and checks its name. */
export async function pressButton(page: Page, name = "Check and send"): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}
