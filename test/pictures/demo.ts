import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { type DemoApi, openDemoApi } from "../../local/demo/demo-api.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** A Thursday. */
export const STARTS_AT = Date.parse("2026-11-26T14:03:05.000Z");
const START_MAX_MS = 300_000;
/** A picture may show what has not been answered. */
const QUIET_MAX_MS = 5_000;

interface Local {
  readonly base_url: string;
  readonly simulator_url: string;
  readonly control_token: string;
  readonly sign_in_url: string;
  readonly tenant: string;
  readonly live_key: string;
}

/** A running local stack with the conversations of the demo, whose clock began at a fixed time. */
export interface Demo {
  readonly local: Local;
  readonly api: DemoApi;
}

/** Starts the demo, in a folder of its own, for as long as `use` runs. */
export async function withDemo(use: (demo: Demo) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-pictures-"));
  writeFileSync(join(dataDir, "clock.json"), JSON.stringify({ offset_ms: STARTS_AT - Date.now() }));
  const child = spawn(process.execPath, ["bin/local.ts", "--demo"], {
    cwd: root,
    env: { ...process.env, PARLEY_PORT: "0", PARLEY_DATA: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await use(await started(child, dataDir));
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function started(child: ChildProcess, dataDir: string): Promise<Demo> {
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const end = Date.now() + START_MAX_MS;
  while (!printed.includes("Parley is running")) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`The demo did not start:\n${printed}`);
    await sleep(100);
  }
  const local: Local = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8"));
  const { base_url: baseUrl, simulator_url: simulatorUrl, control_token: controlToken } = local;
  return { local, api: openDemoApi({ baseUrl, simulatorUrl, controlToken }) };
}

/** Moves the clock of the stack forward. @param advance a duration of ISO 8601 */
export async function advanceClock({ local }: Demo, advance: string): Promise<void> {
  const response = await fetch(`${local.base_url}/_local/clock`, {
    method: "POST",
    headers: { authorization: `Bearer ${local.control_token}`, "content-type": "application/json" },
    body: JSON.stringify({ advance }),
  });
  if (!response.ok) throw new Error(`The clock was not advanced: ${response.status}`);
}

export type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Signs in as the demo's owner. The link works once. */
export async function signIn(browser: Browser, { local }: Demo): Promise<SignedIn> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(local.sign_in_url);
  await page.getByRole("button").first().click();
  await page.waitForURL(/\/app\//);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** A context of the demo's owner, in English and UTC. */
export function openContext(
  browser: Browser,
  storageState: SignedIn,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  return browser.newContext({ storageState, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", ...options });
}

/** Waits until pictures, fonts and measured heights no longer change. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle", { timeout: QUIET_MAX_MS }).catch(() => null);
  await page.evaluate("document.fonts.ready.then(() => null)");
  await page.evaluate(
    "Promise.all([...document.images].map((image) => image.decode().catch(() => null))).then(() => null)",
  );
  await sleep(600);
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
export async function chooseFiles(page: Page): Promise<void> {
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
