import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type RunningGuide, runGuide } from "../../e2e/guides/guide-runner.ts";
import { type PackedPackages, packPackages } from "../../e2e/guides/packed-packages.ts";
import { freePort } from "../../e2e/support/fake-servers.ts";

// The local stack as it is published, in a folder that has nothing else.

const QUICK_START = "docs/guides/quick-start.md";
/** The machine may be busy. */
const READY_SECONDS = 120;

/** Packing synthesizes the templates and bundles all functions. */
const PACK_MAX_MS = 600_000;
let packed: PackedPackages;
beforeAll(() => {
  packed = packPackages("@parley/client", "@parley/cli", "@parley/dev");
}, PACK_MAX_MS);
afterAll(() => packed[Symbol.dispose]());

/** The engine of the table, which a registry would serve as an optional dependency. Null on another system. */
function packEngine(folder: string): string | null {
  const name = "@dynoxide/linux-x64";
  try {
    const source = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const args = ["pack", "--offline", "--ignore-scripts", "--silent", "--pack-destination", folder];
    return join(folder, execFileSync("npm", args, { cwd: source, encoding: "utf8" }).trim());
  } catch {
    return null;
  }
}

/** Follows the guide, and starts its stack from the package. */
async function follow(page: string): Promise<RunningGuide> {
  const stackArchive = packed.archives["@parley/dev"] ?? "";
  const engine = packEngine(dirname(stackArchive));
  const archives = { ...packed.archives, "@parley/dev": [stackArchive, ...(engine ? [engine] : [])].join(" ") };
  const guide = await runGuide(page, {
    dataDir: null,
    ports: { 9000: await freePort() },
    archives,
    printedBefore: { "node read.mjs": /^Replied\.$/m },
    readySeconds: READY_SECONDS,
  });
  onTestFinished(() => guide.stop());
  return guide;
}

test("the quick start in an empty folder gets its first webhook from the stack of the package", async () => {
  const guide = await follow(QUICK_START);
  expect(guide.programOutput()).toContain("Received: Are you open?\n");
  expect(guide.outputs.at(-1)).toBe("outbound: Hello! How can we help?\ninbound: Are you open?\n");
  const [, seconds] = /It started in (\S+) s\./.exec(guide.programOutput()) ?? [];
  console.log(`parley dev started in ${seconds} s.`);

  // The package has what the stack reads, and nothing of the repository.
  const dist = join(guide.folder, "node_modules/@parley/dev/dist");
  const packageJson = JSON.parse(readFileSync(join(dist, "../package.json"), "utf8"));
  expect(packageJson).not.toHaveProperty("dependencies");
  expect(readFileSync(join(dist, "licenses.txt"), "utf8")).toMatch(/^## zod - \S+ \(MIT\)$/m);
  expect(existsSync(join(dist, "assembly/tree.json"))).toBe(false);
  const { base_url, simulator_url, control_token } = JSON.parse(
    readFileSync(join(guide.folder, ".parley/local.json"), "utf8"),
  );
  const pages = ["/app", "/docs", "/console/auth/sign-in", "/_local/mail", "/_local/mail/mailbox.js"];
  const statuses = pages.map(async (path) => {
    const { status } = await fetch(`${base_url}${path}`, { headers: { accept: "text/html" } });
    return [path, status];
  });
  expect(await Promise.all(statuses)).toEqual(pages.map((path) => [path, 200]));
  const authorization = `Bearer ${control_token}`;
  const scenarios = await fetch(`${simulator_url}/_sim/scenarios`, { headers: { authorization } });
  expect(scenarios.status).toBe(200);
  expect((await fetch(`${simulator_url}/page.js`)).status).toBe(200);
});

test("parley dev refuses a setting that needs other templates, and names the package where it is missing", () => {
  const stackArchive = packed.archives["@parley/dev"] ?? "";
  const folder = dirname(stackArchive);
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder };
  const install = (...archives: (string | undefined)[]) =>
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", ...archives.map(String)], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  const program = join(folder, "node_modules/.bin/parley");
  const errorOf = (settings: NodeJS.ProcessEnv) => {
    try {
      execFileSync(program, ["dev"], {
        cwd: folder,
        env: { ...env, ...settings },
        stdio: ["ignore", "ignore", "pipe"],
      });
      return "";
    } catch (error) {
      return String((error as { stderr: Buffer }).stderr);
    }
  };
  install(packed.archives["@parley/cli"]);
  expect(errorOf({})).toBe("Missing package @parley/dev, the local stack. Run npm install --save-dev @parley/dev.\n");
  install(stackArchive);
  for (const [name, value] of [
    ["PARLEY_SIZE", "small"],
    ["PARLEY_AWS_CLIENT", "sdk"],
  ] as const) {
    expect(errorOf({ [name]: value })).toBe(
      `${name} changes the templates, and those of this package are built. Unset it, or run npm run local in the repository of Parley.\n`,
    );
  }
});
