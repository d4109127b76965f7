import { type Browser, chromium } from "playwright-core";
import { type Chromium, unpackChromium } from "./npm-chromium.ts";

let sharedBrowser: Promise<Browser> | undefined;

/** The headless Chromium of this worker: the one that npm installed, or the one that CHROMIUM names. It ends with the process. */
export function testBrowser(): Promise<Browser> {
  sharedBrowser ??= launchBrowser();
  return sharedBrowser;
}

function launchBrowser(): Promise<Browser> {
  const { CHROMIUM } = process.env;
  const { executablePath, env }: Chromium = CHROMIUM ? { executablePath: CHROMIUM, env: {} } : unpackChromium();
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}
