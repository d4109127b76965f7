// `npm run docs:pictures`: takes the pictures of the guides from the demo of the local stack. `-- guides` takes those of the
// simulator and the check page alone, and `-- pages` those of the console's pages beside the inbox. Everything stands
// at fixed times, so the pictures change only with the pages. The fonts of Chinese, Japanese and emoji are those of the
// machine: `apt-get install fonts-noto-cjk fonts-noto-color-emoji`. npm's browser does not see them: set `CHROMIUM` to one that
// does.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { testBrowser } from "../web/support/browser.ts";
import { takeConsolePages } from "./console-pages.ts";
import { advanceClock, chooseFiles, type Demo, openContext, type SignedIn, settle, signIn, withDemo } from "./demo.ts";
import { takeGuidePages } from "./guide-pages.ts";
import { toIndexedPng } from "./indexed-png.ts";

const folder = fileURLToPath(new URL("../../docs/guides/pictures", import.meta.url));
const PICTURE_BYTES_MAX = 150_000;

type Box = { readonly width: number; readonly height: number };

const WIDE: Box = { width: 1280, height: 800 };
const PHONE: Box = { width: 390, height: 760 };

interface View {
  readonly viewport: Box;
  readonly theme: "light" | "dark";
}

async function openInbox(browser: Browser, demo: Demo, state: SignedIn, { viewport, theme }: View): Promise<Page> {
  const context = await openContext(browser, state, { viewport, colorScheme: theme });
  const page = await context.newPage();
  await page.goto(`${demo.local.base_url}/app`);
  await page.locator(".row").first().waitFor();
  await page.locator(".live.waiting").waitFor({ state: "detached" });
  return page;
}

async function openConversation(page: Page, name: string): Promise<void> {
  await page.locator(".row", { hasText: name }).first().click();
  await page.locator(".thread h2", { hasText: name }).waitFor();
  await page.locator(".msgs:not([hidden]) .m").first().waitFor();
  await settle(page);
}

async function save(page: Page, name: string, selector?: string): Promise<void> {
  const options = { caret: "hide", animations: "disabled" } as const;
  const target = selector === undefined ? page : page.locator(selector);
  const png = toIndexedPng(await target.screenshot(options));
  const size = png.length;
  if (size > PICTURE_BYTES_MAX) throw new Error(`${name}.png has ${size} bytes, more than ${PICTURE_BYTES_MAX}.`);
  writeFileSync(join(folder, `${name}.png`), png);
  process.stdout.write(`${name}.png ${size} bytes\n`);
}

async function takePictures(browser: Browser, demo: Demo, state: SignedIn): Promise<void> {
  const wide = await openInbox(browser, demo, state, { viewport: WIDE, theme: "light" });
  await openConversation(wide, "Priya Nair");
  await save(wide, "console-inbox");

  await openConversation(wide, "Camille Durand");
  await chooseFiles(wide);
  await wide.locator(".box textarea").fill("We do! These two are left in green:");
  await wide.locator(".tray .p").first().waitFor({ state: "detached" });
  await settle(wide);
  await save(wide, "console-files", ".thread");

  await openConversation(wide, "Hannah Okafor");
  await wide.locator(".box textarea").fill("Hello Hannah, Saturday from ten is fine. It waits at the counter for you.");
  await wide.keyboard.press("Control+Enter");
  await wide.locator(".check-card").waitFor();
  await settle(wide);
  await save(wide, "console-held", ".thread");

  const phone = await openInbox(browser, demo, state, { viewport: PHONE, theme: "dark" });
  await settle(phone);
  const list = await phone.screenshot();
  await openConversation(phone, "Camille Durand");
  const thread = await phone.screenshot();
  const both = await browser.newPage({ viewport: { width: 2 * PHONE.width + 20, height: PHONE.height } });
  const image = (png: Buffer) => `<img src="data:image/png;base64,${png.toString("base64")}">`;
  await both.setContent(`<body style="margin:0;display:flex;gap:20px;background:#fff">${image(list)}${image(thread)}`);
  await settle(both);
  await save(both, "console-phone");

  // The windows of two conversations are over by then.
  await advanceClock(demo, "PT3M");
  await wide.reload();
  await wide.getByRole("button", { name: /^All/ }).click();
  // The last of the list, which has the rows in view alone.
  await wide.locator(".row").first().hover();
  await wide.mouse.wheel(0, 10_000);
  await wide.locator(".row", { hasText: "Sam Whitfield" }).first().waitFor();
  await openConversation(wide, "Sam Whitfield");
  await save(wide, "console-closed", ".thread");
}

mkdirSync(folder, { recursive: true });
await withDemo(async (demo) => {
  const browser = await testBrowser();
  const {
    argv: [, , part = "all"],
  } = process;
  if (part !== "pages") await takeGuidePages(browser, demo, save);
  if (part !== "guides") {
    const signedIn = await signIn(browser, demo);
    await takeConsolePages(browser, demo, signedIn, save);
    if (part === "all") await takePictures(browser, demo, signedIn);
  }
  await browser.close();
});
