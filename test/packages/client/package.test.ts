import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync, transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { openedOnce } from "../../support/opened.ts";
import { packClient, project } from "./support/packed-client.ts";
import { expectedCounts, expectedResults } from "./support/scenario/expected.ts";
import { startScenarioServer } from "./support/scenario/server.ts";

// The package as it is published.

const client = openedOnce(packClient);
beforeAll(() => {
  // What the guide says for a Node.js without a WebSocket.
  symlinkSync(join(project, "node_modules/ws"), join(client.folder, "node_modules/ws"));
});
afterAll(() => client[Symbol.dispose]());
const installed = (path: string) => join(client.folder, "node_modules/@parley/client", path);

test("the packed client has at most 12 KB, minified and compressed", () => {
  const { code } = transformSync(readFileSync(installed("dist/index.js"), "utf8"), { minify: true, format: "esm" });
  expect(gzipSync(code).byteLength).toBeLessThanOrEqual(12 * 1_024);
});

test("the packed client has the module, its types, the README, the change log and the license, and no dependency", () => {
  const files = globSync("**/*.*", { cwd: installed("") })
    .concat("LICENSE")
    .filter((file) => existsSync(installed(file)));
  expect(files.filter((file) => !file.endsWith(".d.ts")).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/index.js",
    "package.json",
  ]);
  const packageJson = JSON.parse(readFileSync(installed("package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  expect(packageJson).toMatchObject({
    name: "@parley/client",
    version,
    type: "module",
    publishConfig: { access: "public", provenance: true },
  });
  // Tools that do not read `exports` look here.
  for (const file of [packageJson.main, packageJson.types]) expect(existsSync(installed(file))).toBe(true);
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"]) {
    expect(packageJson).not.toHaveProperty(field);
  }
  expect(readFileSync(installed("dist/index.js"), "utf8")).not.toMatch(/^import |\bimport\(|\brequire\(/m);
});

test("the packed client names pages of the documentation that exist", () => {
  const pages = readFileSync(installed("README.md"), "utf8").matchAll(/`\/docs\/([\w/-]+)`/g);
  const missing = [...pages].map(([, page]) => `docs/${page}.md`).filter((file) => !existsSync(join(project, file)));
  expect(missing).toEqual([]);
});

test("the guide calls routes that take an API key, but where it explains the session", () => {
  const { paths } = JSON.parse(readFileSync(join(project, "docs/openapi.json"), "utf8"));
  const calls = codeBlocks("docs/guides/client.md")
    .filter(({ code }) => !code.includes("csrfToken"))
    .flatMap(({ code }) => [...code.matchAll(/\.request\("(\w+) (\S+)"/g)]);
  const securities = calls.map(([, method = "", path = ""]) => paths[path][method.toLowerCase()].security);
  expect(securities).toEqual([expect.arrayContaining([{ apiKey: [] }])]);
});

// The compiler takes seconds.
describe.runIf(inject("fullRun"))("its types, in a strict project without the types of Node.js,", () => {
  const compile = (source: string) => {
    writeFileSync(join(client.folder, "main.ts"), source);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      module: "preserve",
      moduleResolution: "bundler",
      types: [],
    };
    writeFileSync(join(client.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    return spawnSync(process.execPath, [join(project, "node_modules/typescript/bin/tsc"), "-p", client.folder], {
      encoding: "utf8",
    }).stdout;
  };

  test("the types of the packed client accept what the API accepts, and refuse the rest", () => {
    const output = compile(`
import { Parley, type Conversation } from "@parley/client";
const parley = new Parley({ baseUrl: "https://parley.example.com", apiKey: "k" });
const page: { conversations: Conversation[]; next_cursor: string | null } = await parley.conversations.list({ unanswered: true });
for await (const { id, window } of parley.conversations.list({ platform: "messenger" })) console.log(id, window.state);
const { members } = await parley.request("GET /console/team", { query: { tenant: "demo" } });
const role: "owner" | "admin" | "agent" | undefined = members[0]?.role;
const me = await parley.request("GET /console/me");
const { upload } = await parley.attachments.getUpload("upl_1");
console.log(page, role, me.csrf_token, upload.attachment?.id);
// @ts-expect-error the platform does not exist
parley.conversations.list({ platform: "telegram" });
// @ts-expect-error a limit is a number
parley.messages.list({ limit: true });
// @ts-expect-error the conversation is missing
parley.messages.reply({ text: "Hello" });
// @ts-expect-error names are those of the API
parley.messages.reply({ conversationId: "c", text: "Hello" });
// @ts-expect-error the path parameter is missing
parley.request("GET /v1/webhooks/{id}");
// @ts-expect-error the route does not exist
parley.request("GET /v1/nothing");
`);
    expect(output).toBe("");
  });

  const names = `
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare module "node:fs" { export function openAsBlob(path: string): Promise<Blob>; }
declare const conversation_id: string, text: string, actor_id: string, rawBody: Uint8Array, request: { headers: Record<string, string> };
declare const stream: import("@parley/client").RealtimeConnection;
declare const file: File;
declare function refetch(): void;
declare function isConfirmed(text: string): Promise<boolean>;
declare function solve(challenge: { readonly c: number }, token: string): Promise<number[]>;
declare function show(data: { conversation: object }): void;
`;
  const declared = 'declare const parley: import("@parley/client").Parley;';
  test.each(codeBlocks("docs/guides/client.md").filter(({ language }) => language === "ts"))(
    "the types of the packed client compile the code of the guide in line $line",
    ({ code }) => {
      const imports = /import .* from "@parley/.test(code) ? "" : 'import { Parley } from "@parley/client";\n';
      writeFileSync(join(client.folder, "names.d.ts"), names);
      const needsClient = !/const parley\b/.test(code);
      expect(compile(`/// <reference path="./names.d.ts" />\n${imports}${needsClient ? declared : ""}\n${code}`)).toBe(
        "",
      );
    },
  );
});

/** The Node.js of this run and those in PATH, by major version. */
const runtimes = new Map(
  [process.execPath, ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"))]
    .filter((path) => existsSync(path))
    .map((path) => [
      Number(execFileSync(path, ["-p", "process.versions.node.split('.')[0]"], { encoding: "utf8" })),
      path,
    ]),
);
/** The oldest Node.js for which the package is made, that of this repository, and those of the machine between and after. */
const versions = new Set([20, 24, ...[...runtimes.keys()].filter((version) => version > 20)]);

test.for([...versions])("the packed client runs in Node.js %i", async (version, context) => {
  const node = runtimes.get(version);
  const hint = `Node.js ${version} is not installed. Install it and append its folder to PATH.`;
  if (node === undefined && !inject("fullRun")) context.skip(hint);
  if (node === undefined) throw new Error(hint);
  await using server = await startScenarioServer();
  const main = join(client.folder, "scenario.mjs");
  buildSync({
    entryPoints: [join(project, "test/packages/client/support/scenario/node.ts")],
    outfile: main,
    bundle: true,
    format: "esm",
    platform: "node",
    alias: { "#client": "@parley/client" },
    external: ["@parley/client", "ws"],
    tsconfigRaw: {},
  });
  const results = JSON.parse(await run(node, [main, JSON.stringify(server.input)]));
  expect(results).toEqual(expectedResults(302));
  const counts = server.takeCounts();
  expect(counts).toMatchObject(expectedCounts());
  expect(counts).not.toHaveProperty("/v1/ping");
});

/** The output of a program. The server of this process answers in the meantime. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const chunks = await child.stdout.setEncoding("utf8").toArray();
  return chunks.join("");
}
