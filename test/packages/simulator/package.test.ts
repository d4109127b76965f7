import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT } from "../../docs/markdown.ts";

// The package as it is published, installed into a folder that has nothing else.

const README = "packages/simulator/README.md";
const folder = mkdtempSync(join(tmpdir(), "parley-installed-"));
const installed = (path: string) => join(folder, "node_modules/@parley/simulator", path);
const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), HOME: folder };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  const run = (program: string, args: string[], cwd = folder) =>
    execFileSync(program, args, { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  run(process.execPath, [join(PROJECT, "bin/package.ts"), "simulator", folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(folder, "package.json"), "{}");
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${archive}`]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a shell until the end of the test. Its output is read with `output`. */
function start(command: string) {
  const child = spawn("sh", ["-c", command], { cwd: folder, env, detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  onTestFinished(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  });
  return { child, output: () => output };
}

test("the packed simulator has the program, the module, its types, the page and the license, and no dependency", () => {
  const files = readdirSync(installed(""), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed(""), join(entry.parentPath, entry.name)))
    .filter((file) => !file.endsWith(".d.ts"));
  expect(files.map((file) => file.replace(/^dist\/chunk-\w+/, "dist/chunk")).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/chunk.js",
    "dist/clip.webm",
    "dist/index.js",
    "dist/main.js",
    ...["consent.css", "icon.svg", "index.html", "page.css", "page.js"].map((name) => `dist/page/${name}`),
    "dist/scenario.schema.json",
    ...readdirSync(join(PROJECT, "packages/simulator/src/scenarios"))
      .map((name) => `dist/scenarios/${name}`)
      .sort(),
    "package.json",
  ]);
  const packageJson = JSON.parse(readFileSync(installed("package.json"), "utf8"));
  const { version, engines, license } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(packageJson).toMatchObject({ name: "@parley/simulator", version, engines, license, type: "module" });
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "scripts", "private"]) {
    expect(packageJson).not.toHaveProperty(field);
  }
  const imports = files
    .filter((file) => /^dist\/[^/]+\.js$/.test(file))
    .flatMap((file) => [
      ...readFileSync(installed(file), "utf8").matchAll(/^(?:import|\} from|export .* from) .*"(.*)"/gm),
    ]);
  expect(imports.length).toBeGreaterThan(5);
  expect(imports.map(([, name = ""]) => name).filter((name) => !/^(node:|\.\/chunk-)/.test(name))).toEqual([]);
});

test("the packed simulator prints its help", () => {
  const help = execFileSync("npx", ["--offline", "parley-simulator", "--help"], { cwd: folder, env, encoding: "utf8" });
  expect(help).toContain("Usage: parley-simulator --callback <url> [flags]");
});

test("the first message of the README is answered by its app, and the page is served", async () => {
  const ports = { 3000: await freePort(), 4100: await freePort() };
  /** The text with free ports in place of those of the app and of the simulator. */
  const withPorts = (text: string) => text.replaceAll(/\b(3000|4100)\b/g, (port) => String(ports[port as "3000"]));
  const blocks = codeBlocks(README);
  const [app] = blocks.filter(({ file }) => file === "app.mjs");
  writeFileSync(join(folder, "app.mjs"), withPorts(app?.code ?? ""));
  const shell = blocks.filter(({ language }) => language === "sh").slice(0, 4);
  const [settings = "", commands = ""] = shell
    .filter(({ marks }) => marks.length === 0)
    .map(({ code }) => withPorts(code));
  const environment = `export SIM_PORT=${ports[4100]}\n${settings}`;
  const background = shell
    .filter(({ marks }) => marks.includes("background"))
    .map(({ code }) => start(`${environment}\n${withPorts(code)}`));
  await expect.poll(() => background[1]?.output(), { timeout: 20_000 }).toContain("The platform simulator is running.");
  const run = start(`${environment}\nset -e\n${commands}`);
  const [code] = await once(run.child, "close");
  expect(code, run.output()).toBe(0);
  expect(run.output()).toContain('"status_of_webhook":"delivered"');
  await expect.poll(() => background[0]?.output(), { timeout: 20_000 }).toMatch(/^200 /);

  const page = await fetch(`http://127.0.0.1:${ports[4100]}/`);
  const names = [...(await page.text()).matchAll(/(?:src|href)="(\/?[\w.]+)"/g)].map(([, name = ""]) => name);
  expect(names).toEqual(expect.arrayContaining(["/page.js", "/page.css"]));
  for (const name of [...names, "/consent.css", "/media/clip.webm"]) {
    const { status } = await fetch(new URL(name, page.url));
    expect({ name, status }).toEqual({ name, status: 200 });
  }
});

test("the program of the README starts and ends a simulator", async () => {
  const [program] = codeBlocks(README).filter(({ code }) => code.includes("startSimulator("));
  writeFileSync(join(folder, "program.mjs"), program?.code ?? "");
  const { child, output } = start("node program.mjs");
  expect(await once(child, "close"), output()).toEqual([0, null]);
  expect(output()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
});

// The compiler takes seconds.
describe.runIf(inject("fullRun"))("its types, in a strict project", () => {
  test.each(["nodenext", "bundler"])(
    "the types of the packed simulator resolve with %s and accept the options",
    (moduleResolution) => {
      const compilerOptions = {
        ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, target: "es2023", types: [] },
        ...{ module: moduleResolution === "bundler" ? "preserve" : "nodenext", moduleResolution },
      };
      writeFileSync(
        join(folder, "main.mts"),
        `import { type Simulator, startSimulator, simulatedAppIds } from "@parley/simulator";
const controlToken = { value: "a-control-token", location: "In the test." };
const options = { port: 0, webhookBase: "http://127.0.0.1:1", metaSecret: "m", instagramSecret: "i", verifyToken: "v" };
export const simulator: Simulator = await startSimulator({ ...options, controlToken, appId: simulatedAppIds.meta });
// @ts-expect-error the control token is missing
await startSimulator(options);
`,
      );
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.mts"] }));
      const tsc = join(PROJECT, "node_modules/typescript/bin/tsc");
      execFileSync(process.execPath, [tsc, "-p", folder], { stdio: "inherit" });
    },
  );
});
