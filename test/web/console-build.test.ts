import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsole } from "../../web/build.ts";

// What a browser downloads to open the console. Sizes are in bytes as they are sent, with Brotli.

const KB = 1_000;
const folder = mkdtempSync(join(tmpdir(), "console-build-"));
const assets = join(folder, "assets");
let names: string[] = [];
let page = "";
beforeAll(async () => {
  await buildConsole(folder);
  names = readdirSync(assets);
  page = readFileSync(join(folder, "index.html"), "utf8");
});
afterAll(() => rmSync(folder, { recursive: true }));

const ending = (suffix: string) => names.filter((name) => name.endsWith(suffix));
const sent = (name: string) => readFileSync(join(assets, `${name}.br`)).length;
const read = (name: string) => readFileSync(join(assets, name), "utf8");

/** Scripts, and all that they import before they run. */
function withImports(names: Iterable<string>): Set<string> {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    for (const [, imported = ""] of read(name).matchAll(/\b(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g))
      add(imported);
  };
  for (const name of names) add(name);
  return all;
}

/** The scripts that the page names, with what they import. */
function firstScripts(): Set<string> {
  return withImports([...page.matchAll(/\/app\/assets\/([\w.-]+\.js)/g)].map(([, name = ""]) => name));
}

it("the first script of the console, with what it imports, has at most 130 KB", () => {
  const first = firstScripts();
  expect(first.size).toBeGreaterThan(0);
  const bytes = [...first].reduce((sum, name) => sum + sent(name), 0);
  expect(bytes).toBeGreaterThan(40 * KB);
  expect(bytes).toBeLessThanOrEqual(130 * KB);
});

it("each further script of the console, with what it imports beside the first ones, has at most 25 KB", () => {
  const first = firstScripts();
  const further = ending(".js").filter((name) => !first.has(name));
  const pages = further.filter((name) => name.includes("-page-"));
  expect(pages.length).toBeGreaterThanOrEqual(5);
  const bytes = (name: string) =>
    [...withImports([name])].filter((each) => !first.has(each)).reduce((sum, each) => sum + sent(each), 0);
  expect(further.filter((name) => bytes(name) > 25 * KB)).toEqual([]);
});

it("the styles of the console have at most 20 KB together, and its one font 50", () => {
  expect(ending(".css").reduce((sum, name) => sum + sent(name), 0)).toBeLessThanOrEqual(20 * KB);
  const fonts = ending(".woff2").map((name) => readFileSync(join(assets, name)).length);
  expect(fonts).toHaveLength(1);
  expect(Math.max(...fonts)).toBeLessThanOrEqual(50 * KB);
});

it("each file of the console but the font has its copies for Brotli and gzip, with the same content", () => {
  const texts = ["../index.html", "../licenses.txt", ...names.filter((name) => !/\.(br|gz|woff2)$/.test(name))];
  expect(texts.length).toBeGreaterThan(3);
  for (const name of texts) {
    const body = readFileSync(join(assets, name));
    expect(brotliDecompressSync(readFileSync(join(assets, `${name}.br`)))).toEqual(body);
    expect(gunzipSync(readFileSync(join(assets, `${name}.gz`)))).toEqual(body);
  }
  expect(names.filter((name) => /woff2\.(br|gz)$/.test(name))).toEqual([]);
});

it("the name of each asset of the console has a hash, and the page has no script and no style of its own", () => {
  expect(names.filter((name) => !/-[\w-]{8}\.(js|css|svg|woff2)(\.br|\.gz)?$/.test(name))).toEqual([]);
  expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|data:/);
  expect(page).toContain('src="/app/assets/');
});

it("the console is built for production, also by a test, and names the licenses of what it contains", () => {
  for (const name of ending(".js")) expect(read(name)).not.toMatch(/react-dom(-client)?\.development/);
  const licenses = readFileSync(join(folder, "licenses.txt"), "utf8");
  expect(licenses).toMatch(/## react-dom - .*\(MIT\)/);
  expect(licenses).toContain("SIL OPEN FONT LICENSE Version 1.1");
});
