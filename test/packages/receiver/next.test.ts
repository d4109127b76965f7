import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { deliver, SECRET, signedRequest } from "./support/delivery.ts";

// The packed receiver in Next.js. It is no dependency, because it brings libvips under the LGPL. `test/full/receivers` installs it.
// To run these tests alone, install it anywhere, `npm install --ignore-scripts next react react-dom`, and set TEST_NEXT to that folder.

const base = process.env.TEST_NEXT ?? "";
const program = join(base, "node_modules/next/dist/bin/next");
const isInstalled = base !== "" && existsSync(program);

const SETUP = `import { createReceiver, memoryStore } from "@parley/receiver";
export const receiver = createReceiver({
  secret: process.env.SIGNING_SECRET,
  store: memoryStore(),
  on: { "message.received": ({ id }) => { if (id === "evt_fails") throw new Error("once"); } },
});
`;
const files = {
  "package.json": '{ "private": true }',
  "receiver.mjs": SETUP,
  "app/layout.js": "export default function Layout({ children }) { return <html><body>{children}</body></html>; }",
  "app/hooks/route.js": `import { fetchHandler } from "@parley/receiver";
import { receiver } from "../../receiver.mjs";
export const POST = fetchHandler(receiver);
`,
  "pages/api/hooks.js": `import { nodeHandler } from "@parley/receiver";
import { receiver } from "../../receiver.mjs";
export const config = { api: { bodyParser: false } };
export default nodeHandler(receiver);
`,
  "pages/api/parsed.js": `import { nodeHandler } from "@parley/receiver";
import { receiver } from "../../receiver.mjs";
export default nodeHandler(receiver);
`,
};

describe.skipIf(!isInstalled)(isInstalled ? "Next.js" : "Next.js (TEST_NEXT names no folder with it)", () => {
  let folder: string;
  let url: string;
  let output = "";
  let stop = async () => {};

  beforeAll(async () => {
    folder = mkdtempSync(join(base, "app-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    execFileSync(process.execPath, [join(PROJECT, "bin/package.ts"), "receiver", folder], { stdio: "ignore" });
    const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
    const target = join(folder, "node_modules/@parley/receiver");
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", target]);
    for (const name of ["next", "react", "react-dom", "@next", "@swc", "styled-jsx"]) {
      cpSync(join(base, "node_modules", name), join(folder, "node_modules", name), { recursive: true });
    }
    const env = { ...process.env, SIGNING_SECRET: SECRET, NEXT_TELEMETRY_DISABLED: "1" };
    const args = [join(folder, "node_modules/next/dist/bin/next"), "dev", "-H", "127.0.0.1", "-p", "0"];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(child, "exit");
    stop = async () => {
      child.kill("SIGTERM");
      await ended;
    };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    await vi.waitFor(() => expect(output).toMatch(/Local: +http:\S+/), { timeout: 60_000, interval: 100 });
    [, url = ""] = /Local: +(http:\S+)/.exec(output) ?? [];
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["/hooks", "/api/hooks"])(
    "a receiver in Next.js processes a delivery once, and refuses a changed one: %s",
    async (path) => {
      for (const status of [204, 204]) {
        expect(await deliver(`${url}${path}`, signedRequest(`evt_${path}`))).toMatchObject({ status });
      }
      const { headers, body } = signedRequest("evt_changed");
      expect(await deliver(`${url}${path}`, { headers, body: `${body} ` })).toMatchObject({ status: 401 });
      expect(await deliver(`${url}${path}`, signedRequest("evt_fails"))).toMatchObject({ status: 500 });
    },
  );

  test("a receiver in Next.js names the body that an API route parsed", async () => {
    expect(await deliver(`${url}/api/parsed`, signedRequest("evt_1"))).toMatchObject({ status: 500 });
    await expect.poll(() => output).toContain("export config = { api: { bodyParser: false } }");
  });
});
