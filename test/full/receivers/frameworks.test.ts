import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { install, temporaryFolder } from "./install.ts";

/** What is no dependency of this repository: Next.js brings a package under the LGPL, and workerd has 120 MB. */
const NEXT = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1"];
const WORKERD = `@cloudflare/workerd-${platform() === "win32" ? "windows" : platform()}-${arch() === "x64" ? "64" : arch()}@1.20261117.1`;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

it("the receiver works in Node.js, Express, Fastify, Hono, Next.js and Workers, each of them the real one", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  await install("npm", ["install", ...options, ...NEXT, WORKERD], folder);

  const report = join(folder, "report.json");
  const files = ["frameworks", "next", "workers"].map((name) => `test/packages/receiver/${name}.test.ts`);
  const args = ["run", "--project", "packages", ...files, "--reporter=json", `--outputFile=${report}`];
  const env = { ...process.env, TEST_NEXT: folder, TEST_WORKERD: folder };
  const vitest = join(PROJECT, "node_modules/vitest/vitest.mjs");
  await promisify(execFile)(process.execPath, [vitest, ...args], { cwd: PROJECT, env, maxBuffer: 2 ** 26 }).catch(
    () => undefined,
  );
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  expect(results.filter(({ status }) => status !== "passed")).toEqual([]);
  const names = results.map(({ fullName }) => fullName).join("\n");
  for (const framework of ["in node:http", "Express", "Fastify", "Hono", "Next.js", "Worker"])
    expect(names).toContain(framework);
});
