import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { env } from "#base/config/names.ts";
import { mediaFiles } from "../../support/files/media-files.ts";
import { readMails } from "../accounts/browser.ts";
import type { LocalStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

/** The email address of the owner of the demo tenant. */
export const OWNER = "owner@local.invalid";

/** A screen that is touched. */
export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** A screen with a keyboard. */
export const DESK: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

/** A browser of one person at the console of a stack. */
export interface ConsoleVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page threw, and violations of its content security policy. */
  readonly complaints: readonly string[];
  /** The URLs that were requested of another origin than the stack's: its API, stream, storage and media. */
  readonly foreignUrls: readonly string[];
}

/** Opens a browser of its own at a path of the console, `/app` without one. No one is signed in there. */
export async function visitConsole(
  stack: LocalStack,
  browser: Browser,
  { path = "/app", ...options }: BrowserContextOptions & { readonly path?: string } = {},
): Promise<ConsoleVisit> {
  const context = await browser.newContext({ ...DESK, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const foreignUrls: string[] = [];
  const { base_url, ws_url, simulator_url } = stack.info;
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8"));
  const storage: string = environment[env.uploadUrl];
  const own = new Set([base_url, ws_url, simulator_url, storage].map((url) => new URL(url).origin));
  const note = (url: string) => {
    const { origin, protocol } = new URL(url);
    if (!own.has(origin) && protocol !== "blob:" && protocol !== "data:") foreignUrls.push(url);
  };
  page.on("request", (request) => note(request.url()));
  page.on("websocket", (socket) => note(socket.url()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (line) => {
    if (/Content.Security.Policy/i.test(line.text())) complaints.push(line.text());
  });
  await page.goto(stack.info.base_url + path);
  return { page, context, complaints, foreignUrls };
}

/** Signs a person in by the link of a mail, from the sign-in page that the console opened. `send` presses its button. */
export async function signInByMail(
  stack: LocalStack,
  { page }: ConsoleVisit,
  { email = OWNER, send = () => page.getByRole("button").click() as Promise<unknown> } = {},
): Promise<void> {
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const before = (await readMails(stack)).length;
  await page.getByLabel("Email address").fill(email);
  await send();
  const mail = await waitFor("the mail", async () => {
    const all = await readMails(stack);
    return all.length > before ? all[0] : null;
  });
  if (mail.to.join() !== email) throw new Error(`The mail is for ${mail.to}.`);
  await page.goto(/https?:\S+/.exec(mail.text)?.[0] ?? "");
}

/** Answers the question for the name, which the console asks at the first sign-in. */
export async function nameOneself({ page }: ConsoleVisit, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

/** The stream greets some seconds after it opened: from then on messages appear at once. */
export async function waitUntilLive({ page }: ConsoleVisit): Promise<void> {
  await page.locator(".rail .live:not(.waiting)").waitFor({ state: "attached" });
}

/** The row of a person in the list. */
export function rowOf(page: Page, person: string): Locator {
  return page.locator(".row", { hasText: person });
}

/** The open thread's messages with this text, those that the thread does not show yet included. */
export function bubbles(page: Page, text: string): Locator {
  return page.getByRole("log", { name: "Messages" }).locator(".m", { hasText: text });
}

/** Moves the focus with Tab to an element, as a person without a pointer does. Throws when it is not reached. */
export async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 120; presses += 1) {
    if ((await target.and(page.locator(":focus")).count()) === 1) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${target}.`);
}

/** Ten different pictures, as a file dialog returns them. */
export function tenPictures(): { name: string; mimeType: string; buffer: Buffer }[] {
  return Array.from({ length: 10 }, (_, index) => ({
    name: `picture-${index + 1}.png`,
    mimeType: "image/png",
    buffer: Buffer.concat([mediaFiles["image/png"](), Buffer.from(`${index}`)]),
  }));
}
