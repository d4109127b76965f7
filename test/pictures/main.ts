// `npm run docs:pictures`: takes the pictures of docs/guides/console.md from the demo of the local stack. Everything stands
// at fixed times, so the pictures change only with the console. The fonts of Chinese, Japanese and emoji are those of the
// machine: `apt-get install fonts-noto-cjk fonts-noto-color-emoji`. npm's browser does not see them: set `CHROMIUM` to one that
// does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { testBrowser } from "../web/support/browser.ts";
import { toIndexedPng } from "./indexed-png.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "docs", "guides", "pictures");
/** A Thursday. */
const STARTS_AT = Date.parse("2026-11-26T14:03:05.000Z");
const PICTURE_BYTES_MAX = 150_000;
const START_MAX_MS = 120_000;

interface Local {
  readonly base_url: string;
  readonly sign_in_url: string;
}

interface Demo {
  readonly local: Local;
  readonly dataDir: string;
  readonly child: ChildProcess;
}

type Box = { readonly width: number; readonly height: number };

const WIDE: Box = { width: 1280, height: 800 };
const PHONE: Box = { width: 390, height: 760 };

async function startDemo(dataDir: string): Promise<Demo> {
  writeFileSync(join(dataDir, "clock.json"), JSON.stringify({ offset_ms: STARTS_AT - Date.now() }));
  const child = spawn(process.execPath, ["bin/local.ts", "--demo"], {
    cwd: root,
    env: { ...process.env, PARLEY_PORT: "0", PARLEY_DATA: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const end = Date.now() + START_MAX_MS;
  while (!printed.includes("Parley is running")) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`The demo did not start:\n${printed}`);
    await sleep(100);
  }
  return { local: JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")), dataDir, child };
}

async function advanceClock({ local, dataDir }: Demo, advance: string): Promise<void> {
  const token = readFileSync(join(dataDir, "control-token"), "utf8").trim();
  const response = await fetch(`${local.base_url}/_local/clock`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ advance }),
  });
  if (!response.ok) throw new Error(`The clock was not advanced: ${response.status}`);
}

async function signIn(browser: Browser, { local }: Demo) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(local.sign_in_url);
  await page.getByRole("button").first().click();
  await page.waitForURL(/\/app\//);
  const state = await context.storageState();
  await context.close();
  return state;
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>>;

interface View {
  readonly viewport: Box;
  readonly theme: "light" | "dark";
}

/** Opens the inbox as the demo's owner, in English and UTC. */
async function openInbox(browser: Browser, demo: Demo, state: State, { viewport, theme }: View): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme,
    storageState: state,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
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

/** Waits until pictures, fonts and measured heights no longer change. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate("document.fonts.ready.then(() => null)");
  await page.evaluate(
    "Promise.all([...document.images].map((image) => image.decode().catch(() => null))).then(() => null)",
  );
  await sleep(600);
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

/** Draws two pictures in the page, as the bytes of PNG files. */
const DRAW = `(async () => {
  const draw = async (from, to) => {
    const canvas = new OffscreenCanvas(240, 240);
    const context = canvas.getContext("2d");
    const gradient = context.createLinearGradient(0, 0, 240, 240);
    gradient.addColorStop(0, from);
    gradient.addColorStop(1, to);
    context.fillStyle = gradient;
    context.fillRect(0, 0, 240, 240);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
  };
  return [await draw("#8fb8a8", "#31665b"), await draw("#e8c9a0", "#8d5f33")];
})()`;

/** Chooses two pictures, and a program. */
async function chooseFiles(page: Page): Promise<void> {
  const drawn = (await page.evaluate(DRAW)) as number[][];
  await page.locator("input[type=file]").setInputFiles([
    ...drawn.map((bytes, index) => ({
      name: `plate-${index + 1}.png`,
      mimeType: "image/png",
      buffer: Buffer.from(bytes),
    })),
    { name: "price-list.exe", mimeType: "application/octet-stream", buffer: Buffer.from("MZ") },
  ]);
}

async function takePictures(browser: Browser, demo: Demo): Promise<void> {
  const state = await signIn(browser, demo);
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
  await wide.locator(".row", { hasText: "Sam Whitfield" }).first().waitFor();
  await openConversation(wide, "Sam Whitfield");
  await save(wide, "console-closed", ".thread");
}

const dataDir = mkdtempSync(join(tmpdir(), "parley-pictures-"));
const demo = await startDemo(dataDir);
try {
  mkdirSync(folder, { recursive: true });
  const browser = await testBrowser();
  await takePictures(browser, demo);
  await browser.close();
} finally {
  demo.child.kill("SIGTERM");
  if (demo.child.exitCode === null) await once(demo.child, "exit");
  rmSync(dataDir, { recursive: true, force: true });
}
