import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT } from "../../docs/markdown.ts";
import {
  eventSourceMapping,
  httpApiResources,
  lambdaResource,
  queueResource,
  writeAssembly,
} from "../../support/assemblies/assemblies.ts";

// The package as it is published, in a folder that has its dependencies and nothing else.

const README = "packages/local-aws/README.md";
const folder = mkdtempSync(join(tmpdir(), "parley-installed-"));
const installed = (path: string) => join(folder, "node_modules/@parley/local-aws", path);
const packageJson = () => JSON.parse(readFileSync(installed("package.json"), "utf8"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  execFileSync(process.execPath, [join(PROJECT, "bin/package.ts"), "local-aws", folder]);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(installed(""), { recursive: true });
  execFileSync("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", installed("")]);
  const { dependencies, optionalDependencies } = packageJson();
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const target = join(folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules", name), target);
  }
  // An API whose requests go to a queue. The worker's output has the message and the clock's hour.
  const send = `import { SendMessageCommand, SQSClient } from ${JSON.stringify(import.meta.resolve("@aws-sdk/client-sqs"))};
export const handler = async ({ rawPath }) => {
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: rawPath }));
  return { statusCode: 202 };
};`;
  const work = `export const handler = async ({ Records }) => {
  const now = globalThis[Symbol.for("local-aws.host")]?.now() ?? Date.now();
  for (const { body } of Records) console.log("received", body, Math.round((now - Date.now()) / 3_600_000));
};`;
  const assembly = {
    Jobs: queueResource(),
    Send: lambdaResource("send", { Environment: { Variables: { QUEUE_URL: { Ref: "Jobs" } } } }),
    Work: lambdaResource("work"),
    Mapping: eventSourceMapping("Work", "Jobs"),
    ...httpApiResources({ "POST /jobs": "Send" }),
  };
  writeAssembly(folder, assembly, { send, work });
});

/** Starts a program until the end of the test. */
function start(args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: folder, env: { HOME: folder } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, output: () => output };
}

test("the packed stack has the program, the module, its types, the sandbox and the license, with the dependencies of the repository", () => {
  const files = readdirSync(installed(""), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed(""), join(entry.parentPath, entry.name)))
    .filter((file) => !file.endsWith(".d.ts"));
  expect(files.map((file) => file.replace(/^dist\/chunk-\w+/, "dist/chunk")).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/chunk.js",
    "dist/index.js",
    "dist/mailbox/page/index.html",
    "dist/mailbox/page/mailbox.css",
    "dist/mailbox/page/mailbox.js",
    "dist/main.js",
    "dist/sandbox-entry.js",
    "package.json",
  ]);
  const root = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  const { version, engines, dependencies, optionalDependencies } = packageJson();
  expect({ version, engines }).toEqual({ version: root.version, engines: root.engines });
  expect({ ...root.dependencies, ...root.devDependencies }).toMatchObject(dependencies);
  expect(root.optionalDependencies).toMatchObject(optionalDependencies);
});

test("the packed stack runs a template: a request, its message, the clock and the next start", async () => {
  const program = [installed("dist/main.js"), "assembly", "--port", "0", "--exposed"];
  const first = start(program);
  await expect.poll(() => first.output(), { timeout: 20_000 }).toContain("The template is running.");
  const url = /HTTP API +(\S+)/.exec(first.output())?.[1] ?? "";
  const log = () => readFileSync(join(folder, ".local-aws/functions.log"), "utf8");
  expect((await fetch(`${url}/jobs`, { method: "POST" })).status).toBe(202);
  await expect.poll(log, { timeout: 20_000 }).toContain("received /jobs 0\n");

  const headers = { authorization: `Bearer ${readFileSync(join(folder, ".local-aws/control-token"), "utf8").trim()}` };
  const clock = { method: "POST", body: '{ "advance": "PT24H" }' };
  expect((await fetch(`${url}/_local/clock`, clock)).status).toBe(401);
  expect((await fetch(`${url}/_local/clock`, { ...clock, headers })).status).toBe(200);
  expect((await fetch(`${url}/jobs`, { method: "POST" })).status).toBe(202);
  await expect.poll(log, { timeout: 20_000 }).toContain("received /jobs 24\n");

  const second = start(program);
  expect(await once(second.child, "close")).toEqual([1, null]);
  expect(second.output()).toMatch(/^Data folder \S+ is in use by a local stack .*\n$/);
  first.child.kill("SIGTERM");
  expect(await once(first.child, "close")).toEqual([0, null]);
});

test("the program of the README runs and ends", async () => {
  const [program] = codeBlocks(README).filter(({ code }) => code.includes("startLocalAws("));
  const code = (program?.code ?? "").replace('"cdk.out"', '"assembly", engine: { mayBeExposed: true }');
  writeFileSync(join(folder, "program.mjs"), code);
  const { child, output } = start(["program.mjs"]);
  expect(await once(child, "close"), output()).toEqual([0, null]);
  expect(output()).toBe("404\n");
});

test.each([
  [[], "Missing folder of the template"],
  [["nowhere"], "There is no template in "],
  [["assembly", "--port", "65534"], "Invalid --port"],
  [["assembly", "--engine", "other"], "Invalid --engine"],
  [["assembly", "--colour"], "Run parley-local-aws --help"],
])("%j is refused with the fix", async (args, text) => {
  const { child, output } = start([installed("dist/main.js"), ...args]);
  expect(await once(child, "close")).toEqual([1, null]);
  expect(output()).toContain(text);
});
