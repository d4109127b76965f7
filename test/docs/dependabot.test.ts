import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT, readPage } from "./markdown.ts";

const config = readPage(".github/dependabot.yml");

it("the robot proposes updates of each kind of package that the repository has", () => {
  const ecosystems = [...config.matchAll(/^ {2}- package-ecosystem: (\S+)$/gm)].map(([, name]) => name);
  const hasWorkflows = existsSync(join(PROJECT, ".github/workflows"));
  expect(ecosystems).toEqual(["npm", ...(hasWorkflows ? ["github-actions"] : [])]);
});

it("the robot updates Node for all platforms at once", () => {
  const patterns = /node:\s+patterns: (\[.*\])/.exec(config)?.[1] ?? "[]";
  const prefixes = (JSON.parse(patterns) as string[]).map((pattern) => pattern.replace(/\*$/, ""));
  const { optionalDependencies } = JSON.parse(readPage("package.json")) as {
    optionalDependencies: Record<string, string>;
  };
  const runtimes = Object.keys(optionalDependencies).filter((name) => name.startsWith("node-"));
  expect(runtimes.filter((name) => !prefixes.some((prefix) => name.startsWith(prefix)))).toEqual([]);
  expect(runtimes).not.toEqual([]);
});
