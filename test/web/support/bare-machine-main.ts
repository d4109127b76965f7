// Opens a page in the tests' browser and prints what the browser's processes are made of: `node bare-machine-main.ts`.
import { readFileSync, readlinkSync } from "node:fs";
import { descendantsOf } from "../../support/run/process-tree.ts";
import { testBrowser } from "./browser.ts";

const browser = await testBrowser();
const page = await browser.newPage();
await page.setContent("<h1 style='display: inline'>Ready</h1>");
const width = Number(await page.evaluate("document.querySelector('h1').getBoundingClientRect().width"));
const programs = new Set<string>();
const files = new Set<string>();
for (const pid of descendantsOf(process.pid)) {
  programs.add(readlinkSync(`/proc/${pid}/exe`));
  const maps = readFileSync(`/proc/${pid}/maps`, "utf8");
  for (const [, file = ""] of maps.matchAll(/^\S+ ..x. .*? (\/.*)$/gm)) files.add(file);
}
console.log(JSON.stringify({ width, programs: [...programs], files: [...files] }));
await browser.close();
