import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePaths = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** A headless Chromium of the machine's own. Without one the tests fail: a page that no browser opened is not tested. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = executablePaths.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      "The check page's tests need Chromium. On Debian or Ubuntu: apt-get update && apt-get install -y chromium. Elsewhere set CHROMIUM to the path of a Chromium or Chrome.",
    );
  }
  return chromium.launch({
    executablePath,
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}
