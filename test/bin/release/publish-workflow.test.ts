import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { publishedFolders } from "../../../bin/release/package-versions.ts";
import { PROJECT } from "../../docs/markdown.ts";

interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

const text = readFileSync(join(PROJECT, ".github/workflows/publish.yml"), "utf8");
const workflow = parse(text) as {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<"pack" | "npm" | "pypi", Job>>;
};
const { pack, npm, pypi } = workflow.jobs;
const commands = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

it("the workflow that publishes runs for tags, and only where the repository owns the names", () => {
  expect(workflow.on).toEqual({ push: { tags: ["v*"] } });
  expect(pack.if).toBe("vars.PARLEY_PUBLISH == 'true'");
  expect([npm.needs, pypi.needs]).toEqual(["pack", "pack"]);
});

it("the workflow that publishes names no token, and only the jobs that publish can request one, each in its environment", () => {
  expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|_authToken|NPM_TOKEN|password|username|api-token/i);
  expect(workflow.permissions).toEqual({ contents: "read" });
  const withToken = { contents: "read", "id-token": "write" };
  expect([pack.permissions, npm.permissions, pypi.permissions]).toEqual([undefined, withToken, withToken]);
  expect([pack.environment, npm.environment, pypi.environment]).toEqual([undefined, "npm", "pypi"]);
});

it("a job that can request a token runs no code of the repository or of its packages", () => {
  for (const job of [npm, pypi]) {
    expect(job.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))).toEqual([]);
    expect(commands(job).join("\n")).not.toMatch(/npm (ci|install|run)|npx/);
  }
  expect(commands(npm).join("\n")).toContain("--ignore-scripts");
});

it("every action of the workflow that publishes is pinned by the hash of a commit, with its version beside it", () => {
  const uses = text.match(/uses: .*/g) ?? [];
  expect(uses.length).toBeGreaterThan(5);
  expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

it("a tag is checked before anything is packed, and every published package is packed by its script", () => {
  const [install, check, npmPackages = "", ...python] = commands(pack);
  expect([install, check]).toEqual(["npm ci", 'npm run release:check -- --tag "$GITHUB_REF_NAME" release']);
  const [, names = ""] = /^for name in ([\w -]+);/.exec(npmPackages) ?? [];
  const packed = [...names.split(" "), ...python.flatMap((line) => /packages\/([\w-]+)$/.exec(line)?.[1] ?? [])];
  expect(packed.sort()).toEqual([...publishedFolders].sort());
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { scripts: object };
  for (const name of names.split(" ")) expect(Object.keys(scripts)).toContain(`${name}:pack`);
});

it("a run that is repeated publishes only the packages that npm does not have", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-publish-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "packed/npm"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  for (const name of ["first", "second"]) {
    mkdirSync(join(folder, name, "package"), { recursive: true });
    writeFileSync(join(folder, name, "package/package.json"), JSON.stringify({ name: `@a/${name}`, version: "1.0.0" }));
    execFileSync("tar", ["czf", join(folder, `packed/npm/${name}.tgz`), "-C", join(folder, name), "package"]);
  }
  // The registry has the first one.
  const registry = `#!/usr/bin/env bash
if [ "$1" = view ]; then [ "$2" = @a/first@1.0.0 ] && echo 1.0.0 || exit 1; else echo "npm $*"; fi
`;
  writeFileSync(join(folder, "bin/npm"), registry);
  chmodSync(join(folder, "bin/npm"), 0o755);
  const env = { PATH: [join(folder, "bin"), dirname(process.execPath), process.env.PATH].join(":") };
  const output = execFileSync("bash", ["--norc", "-eo", "pipefail", "-c", commands(npm)[0] ?? ""], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  expect(output).toBe(
    "@a/first@1.0.0 is published.\nnpm publish packed/npm/second.tgz --provenance --access public --ignore-scripts\n",
  );
});
