import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT } from "../../docs/markdown.ts";
import { deliver, SECRET, signedRequest } from "./support/delivery.ts";
import { readmeBlock } from "./support/readme.ts";

// The package as it is published, in a folder that has nothing else.

const folder = mkdtempSync(join(tmpdir(), "parley-receiver-"));
const installed = (path: string) => join(folder, "node_modules/@parley/receiver", path);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  // As in a workflow of GitHub.
  const env = { ...process.env, GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "example/parley" };
  execFileSync(process.execPath, [join(PROJECT, "bin/package.ts"), "receiver", folder], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(installed(""), { recursive: true });
  execFileSync("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", installed("")]);
});

test("the packed receiver has the module, its types, the change log and the license, and no dependency", () => {
  const files = readdirSync(installed(""), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed(""), join(entry.parentPath, entry.name)))
    .filter((file) => !file.endsWith(".d.ts"));
  expect(files.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "dist/index.js", "package.json"]);
  const packageJson = JSON.parse(readFileSync(installed("package.json"), "utf8"));
  expect(packageJson).toMatchObject({ name: "@parley/receiver", type: "module", publishConfig: { provenance: true } });
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"]) {
    expect(packageJson).not.toHaveProperty(field);
  }
  expect(readFileSync(installed("dist/index.js"), "utf8")).not.toMatch(/^import |\bimport\(|\brequire\(/m);
});

test("the packed receiver names its repository when a workflow of GitHub packs it, as provenance needs it", () => {
  expect(JSON.parse(readFileSync(installed("package.json"), "utf8")).repository).toEqual({
    type: "git",
    url: "git+https://github.com/example/parley.git",
    directory: "packages/receiver",
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const guideCode = codeBlocks("docs/guides/webhooks.md").find(({ file }) => file === "hooks.mjs")?.code ?? "";

test.each([
  ["of the README", readmeBlock("First event")],
  ["of the guide", guideCode],
])("the first receiver %s receives a delivery as it stands", async (_place, source) => {
  const port = await freePort();
  const code = source.replace("9000", String(port));
  expect(code).toContain(`listen(${port}`);
  writeFileSync(join(folder, "receiver.mjs"), code);
  const child = spawn(process.execPath, ["receiver.mjs"], {
    cwd: folder,
    env: { SIGNING_SECRET: SECRET },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const url = `http://127.0.0.1:${port}/hooks`;
  const post = () =>
    deliver(url, signedRequest("evt_1", "message.sent")).then(
      ({ status }) => status,
      () => null,
    );
  await expect.poll(post, { timeout: 10_000 }).toBe(204);
  const { headers } = signedRequest("evt_2");
  expect(await deliver(url, { headers, body: "{}" })).toMatchObject({ status: 401 });
  expect(output).not.toContain("SyntaxError");
});

test("the first receiver of the README ends at once without its secret, and names it", () => {
  writeFileSync(join(folder, "unset.mjs"), readmeBlock("First event"));
  const run = spawnSync(process.execPath, ["unset.mjs"], { cwd: folder, env: {}, encoding: "utf8" });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain("Missing or invalid signing secret.");
});

const declarations = `
declare const redis: { set(key: string, value: string, options: object): Promise<string | null>; get(key: string): Promise<"processed" | "processing" | null>; del(key: string): Promise<number> };
declare const pool: { query(text: string, values: unknown[]): Promise<{ rowCount: number; rows: { state: "processed" | "processing" }[] }> };
declare module "cloudflare:workers" { export const env: { SIGNING_SECRET: string }; }
`;

/** What `app` is in an example of the README. */
function appType(code: string): string {
  if (code.includes("express.")) return 'import("express").Express';
  return code.includes("register(") ? 'import("fastify").FastifyInstance' : 'import("hono").Hono';
}

// The compiler takes seconds.
describe.runIf(inject("fullRun"))("the types of the packed receiver", () => {
  /** Compiles a module in a strict project with the types of Node.js and of the frameworks. @returns the errors */
  const compile = (source: string, types: readonly string[]) => {
    for (const name of ["express", "hono", "fastify", "@types"]) {
      symlink(join(PROJECT, "node_modules", name), join(folder, "node_modules", name));
    }
    writeFileSync(join(folder, "main.ts"), source);
    writeFileSync(join(folder, "names.d.ts"), declarations);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      target: "es2022",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "preserve",
      moduleResolution: "bundler",
      noImplicitAny: false,
      types,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["names.d.ts", "main.ts"] }));
    const tsc = join(PROJECT, "node_modules/typescript/bin/tsc");
    return spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" }).stdout;
  };

  const setup = `
import { createReceiver, type EventStore, fastifyPlugin, fetchHandler, memoryStore, nodeHandler } from "@parley/receiver";
import express from "express";
const receiver = createReceiver({ secret: process.env.SIGNING_SECRET, store: memoryStore() });
`;

  test("the types of the packed receiver know the data of each event, and refuse another type", () => {
    const output = compile(
      `${setup}
createReceiver({ secret: "s", store: memoryStore(), on: {
  "message.received": ({ data }) => data.message.text.trim(),
  "webhook.paused": async ({ data }) => { const reason: string = data.reason; return reason; },
} });
// @ts-expect-error the type does not exist
createReceiver({ secret: "s", store: memoryStore(), on: { "message.gone": () => {} } });
// @ts-expect-error the event has no such field
createReceiver({ secret: "s", store: memoryStore(), on: { "message.received": ({ data }) => data.massage } });
void [express, fastifyPlugin, fetchHandler, nodeHandler, receiver];
const store: EventStore = memoryStore(); void store;
`,
      ["node"],
    );
    expect(output).toBe("");
  });

  test.each(codeBlocks("packages/receiver/README.md").filter(({ language }) => language === "js"))(
    "the types of the packed receiver compile the code of the README in line $line",
    ({ code }) => {
      const isWhole = code.includes('from "@parley/receiver"');
      const uses = code.includes("Store = {")
        ? `\ncreateReceiver({ secret: "s", store: ${/const (\w+)/.exec(code)?.[1]} });`
        : "";
      const source = `${setup}declare const app: ${appType(code)};\n${code}${uses}`;
      expect(compile(isWhole ? code : source, ["node"])).toBe("");
    },
  );
});

function symlink(target: string, path: string): void {
  rmSync(path, { recursive: true, force: true });
  symlinkSync(target, path);
}
