import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commands } from "#cli/command-list.ts";
import { PROJECT, readPage } from "../../docs/markdown.ts";

// The package as it is published, installed into a folder that has nothing else.

const folder = mkdtempSync(join(tmpdir(), "parley-cli-"));
const installed = (path: string) => join(folder, "node_modules/@parley/cli", path);
const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), HOME: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  execFileSync(process.execPath, [join(PROJECT, "bin/package.ts"), "cli", folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), "{}");
  const install = ["install", "--offline", "--no-audit", "--no-fund", `./${archive}`];
  execFileSync("npm", install, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
});

test("the packed command has the program, the change log and the license, and no dependency", () => {
  const files = readdirSync(installed(""), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed(""), join(entry.parentPath, entry.name)));
  expect(files.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist/main.js", "package.json"]);
  const packageJson = JSON.parse(readFileSync(installed("package.json"), "utf8"));
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"]) {
    expect(packageJson).not.toHaveProperty(field);
  }
});

test("the installed command prints its help, and one line for a stack that does not run", () => {
  const program = join(folder, "node_modules/.bin/parley");
  const help = spawnSync(program, ["--help"], { cwd: folder, env, encoding: "utf8" });
  expect([help.status, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).toContain("Usage: parley COMMAND");
  const reply = spawnSync(program, ["reply", "Hello"], { cwd: folder, env, encoding: "utf8" });
  expect([reply.status, reply.stdout]).toEqual([1, ""]);
  expect(reply.stderr).toMatch(/^No local stack runs with the data folder \.parley\. [^\n]+\n$/);
});

test("the README of the command has each command", () => {
  const named = [...readPage("packages/cli/README.md").matchAll(/^\| `parley (\w+)/gm)].map(([, name]) => name);
  expect([...new Set(named)].sort()).toEqual(Object.keys(commands).sort());
});
