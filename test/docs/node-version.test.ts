import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROJECT, readPage } from "./markdown.ts";

interface Package {
  readonly engines?: { readonly node?: string };
  readonly optional?: boolean;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(PROJECT, file), "utf8")) as T;
}

const { engines } = readJson<Package>("package.json");
const { packages } = readJson<{ packages: Readonly<Record<string, Package>> }>("package-lock.json");

/** The oldest release of each major version of Node.js that the project accepts. */
const oldestReleases = (engines?.node ?? "").split(" || ").map((range) => range.replace(/^(\^|>=)/, ""));

/** True if a version is in a range of `npm`, as far as the lock file uses its syntax: `^1.2 || >=2 || 3`. */
function satisfies(version: string, range: string): boolean {
  const parts = (text: string) => {
    const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
    return { major, order: major * 1e6 + minor * 1e3 + patch };
  };
  const candidate = parts(version);
  return range.split("||").some((alternative) => {
    const [, operator, bound = ""] = /^\s*(\^|>=)?\s*([\d.]+)\s*$/.exec(alternative.replace("*", ">=0")) ?? [];
    if (bound === "") throw new Error(`Unknown range of versions: ${range}`);
    const limit = parts(bound);
    if (operator === ">=") return candidate.order >= limit.order;
    return candidate.major === limit.major && candidate.order >= limit.order;
  });
}

describe("the version of Node.js", () => {
  it("that README.md asks for is that of package.json", () => {
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

  it("of npm scripts is that of Lambda, whichever Node.js the shell has", () => {
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
});
