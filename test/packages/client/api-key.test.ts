import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { buildSync } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { Parley } from "#client";
import { project } from "./support/packed-client.ts";

// Where the client accepts an API key. `test/web/client.test.ts` has the pages and workers of a real browser.

const KEY = "svc_live_secret";

test.each([
  "http://parley.example.com",
  "http://10.0.0.7:3000",
  "http://localhost.example.com",
  "http://127.0.0.1@parley.example.com",
  "http://127.0.0.1.example.com",
  "http://[::ffff:a00:7]",
  "http://0.0.0.0",
  "http://127.0.0.1:80@parley.example.com",
  "http://localhost\\@parley.example.com",
  "http://localhost:3000.example.com",
  "http://[",
])("over plain http, an API key is refused for %s, and the fix is named", (baseUrl) => {
  const create = () => new Parley({ baseUrl, apiKey: KEY });
  expect(create).toThrow(expect.objectContaining({ name: "ParleyError", code: "invalid_argument", status: null }));
  expect(create).toThrow(/^API key over plain http\. .*Pass a baseUrl with https\./);
  expect(create).not.toThrow(KEY);
});

test.each([
  "http://localhost:3000",
  "http://api.localhost",
  "http://127.0.0.1:3000",
  "http://127.8.0.1",
  "http://[::1]:3000",
])("over plain http, an API key is accepted for %s, which is this machine", (baseUrl) => {
  expect(new Parley({ baseUrl, apiKey: KEY }).hasSession).toBe(false);
});

test("over plain http, an API key matters only for a key", () => {
  expect(new Parley({ baseUrl: "http://parley.example.com" }).hasSession).toBe(true);
  expect(new Parley({ baseUrl: "https://parley.example.com", apiKey: KEY }).hasSession).toBe(false);
});

test.each([undefined, ""])(
  "in a program, an API key of %j is refused, as that of a variable that is not set",
  (apiKey) => {
    const create = () => new Parley({ baseUrl: "https://parley.example.com", apiKey });
    expect(create).toThrow(expect.objectContaining({ name: "ParleyError", code: "invalid_argument" }));
    expect(create).toThrow(/^Missing apiKey\. .*omit apiKey/);
  },
);

test("in a program, a client without a key calls what needs none", () => {
  expect(new Parley({ baseUrl: "https://parley.example.com" }).hasSession).toBe(true);
});

describe("the runtime", () => {
  let script: string;
  beforeAll(() => {
    const entryPoints = [join(project, "packages/client/src/index.ts")];
    const options = { bundle: true, write: false, format: "iife", globalName: "client", tsconfigRaw: {} } as const;
    script = buildSync({ entryPoints, ...options }).outputFiles[0]?.text ?? "";
  });

  /** The error of a client with a key, in a world with some globals. */
  function refusalIn(globals: string): string | null {
    const world = createContext({ apiKey: KEY, process: undefined });
    runInContext(globals, world);
    const create = 'new client.Parley({ baseUrl: "https://parley.example.com", apiKey })';
    return runInContext(`${script}; try { ${create}; null } catch (error) { error.message }`, world) as string | null;
  }

  const page =
    "globalThis.window = globalThis; globalThis.document = {}; globalThis.location = { origin: 'https://a' };";
  const program = "globalThis.process = { [Symbol.toStringTag]: 'process', versions: { node: '24.0.0' } };";
  const worker =
    "globalThis.WorkerGlobalScope = function () {}; Object.setPrototypeOf(globalThis, WorkerGlobalScope.prototype);";

  test.each([
    ["a page", page],
    ["a page whose bundler adds a process", `${page} globalThis.process = { versions: { node: '24.0.0' }, env: {} };`],
    ["a worker of a page", `${worker} globalThis.location = { origin: 'https://a' };`],
  ])("the runtime refuses a key: %s", (_, globals) => {
    expect(refusalIn(globals)).toContain("API key in a web page.");
  });

  test.each([
    ["Node.js and Bun", program],
    ["Node.js with an emulated page, as in tests", `${program} ${page}`],
    ["Deno", "globalThis.Deno = { version: { deno: '2.0.0' } }; globalThis.window = globalThis;"],
    ["a worker of Deno", `${worker} globalThis.Deno = {}; globalThis.location = { origin: 'null' };`],
    ["React Native", "globalThis.window = globalThis; globalThis.navigator = { product: 'ReactNative' };"],
    ["React Native with an emulated document", `${page} globalThis.navigator = { product: 'ReactNative' };`],
    ["a server's runtime with the scope of a worker", worker],
  ])("the runtime accepts a key: %s", (_, globals) => {
    expect(refusalIn(globals)).toBeNull();
  });
});
