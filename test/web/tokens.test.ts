import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildPageFile } from "../../packages/simulator/src/page-build.ts";
import { tokensForAll } from "../../web/theme/tokens.ts";

// The colors of every page are those of one file.

const ROOT = join(import.meta.dirname, "..", "..");
const TOKENS = "web/theme/tokens.css";
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const sources = ["web", "packages/simulator/src"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(css|ts|tsx|html|svg)$/.test(name) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name}`),
);
const others = sources.filter((path) => path !== TOKENS);
const definitions = (css: string) => [...css.matchAll(/(?<![\w-])(--[a-z][a-z-]*)["']?\s*:/g)].map(([, name]) => name);
const names = new Set(definitions(read(TOKENS)));
const values = new Set(read(TOKENS).match(/#[0-9a-f]{6}\b/g));

it("the file of the tokens has the colors of the pages", () => {
  for (const name of ["--ground", "--ink", "--accent", "--open", "--closing", "--person"])
    expect(names).toContain(name);
  expect(values.size).toBeGreaterThan(40);
  expect(others.filter((path) => path.endsWith(".css")).length).toBeGreaterThan(25);
});

it("no other file defines a token", () => {
  const again = others
    .filter((path) => path.endsWith(".css"))
    .flatMap((path) =>
      definitions(read(path))
        .filter((name) => names.has(name))
        .map((name) => `${path}: ${name}`),
    );
  expect(again).toEqual([]);
});

it("no other file has the value of a token", () => {
  const again = others.flatMap((path) =>
    (read(path).match(/#[0-9a-fA-F]{6}\b/g) ?? [])
      .filter((value) => values.has(value.toLowerCase()))
      .map((value) => `${path}: ${value}`),
  );
  expect(again).toEqual([]);
});

it.each([
  ["the console", "web/console"],
  ["the documentation", "web/docs"],
  ["the pages without a frame", "web/(?:check-page|sign-in|connect|data-deletion|theme)"],
  ["the simulator", "packages/simulator"],
])("every color of %s is a token or one of its own", (_, folder) => {
  const files = others.filter((path) => new RegExp(`^${folder}/`).test(path));
  const own = new Set(
    files.flatMap((path) => [...definitions(read(path)), ...(read(path).match(/"--[\w-]+"/g) ?? [])]),
  );
  const used = files.flatMap((path) => [...read(path).matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !names.has(name) && !own.has(name) && !own.has(`"${name}"`))).toEqual([]);
});

it("the tokens for older browsers have each color of both schemes, and nothing of light-dark()", () => {
  const css = tokensForAll();
  expect(css).not.toContain("light-dark(");
  const [light = "", , system = "", , chosen = ""] = css.split(/^(?=:root|@media)/m);
  expect([definitions(system), definitions(light).length]).toEqual([definitions(chosen), names.size]);
  expect(light).toContain("--ground: #f3f0e8;");
  expect(system).toContain("--ground: #121516;");
  expect(light).toMatch(/--shadow:\s+0 1px 2px rgb\(40 36 24 \/ 6%\),\s+0 12px 32px rgb\(40 36 24 \/ 12%\);/);
  for (const value of values) expect(css).toContain(value);
});

it("the page of the simulator is built with the tokens", async () => {
  for (const name of ["page.css", "consent.css"] as const) {
    expect(await buildPageFile(name)).toContain("--ground: light-dark(#f3f0e8, #121516)");
  }
});
