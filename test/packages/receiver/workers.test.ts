import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { deliver, SECRET, signedRequest } from "./support/delivery.ts";
import { readmeBlock } from "./support/readme.ts";

// The Worker of the README in workerd, the runtime of Workers. `test/full/receivers` installs it. To run these tests alone,
// install the package of your system anywhere, such as `npm install --ignore-scripts @cloudflare/workerd-linux-64`, and set
// TEST_WORKERD to that folder.

const program = workerdProgram();

const title = program === null ? "a Worker (TEST_WORKERD names no folder with workerd)" : "a Worker";
describe.skipIf(program === null)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-worker-"));
  let url: string;
  let stop: () => Promise<void> = async () => {};

  beforeAll(async () => {
    buildSync({
      stdin: { contents: readmeBlock("Workers"), resolveDir: import.meta.dirname, loader: "ts" },
      outfile: join(folder, "worker.js"),
      bundle: true,
      format: "esm",
      alias: { "@parley/receiver": join(PROJECT, "packages/receiver/src/index.ts") },
      external: ["cloudflare:workers"],
      tsconfigRaw: {},
    });
    writeFileSync(join(folder, "config.capnp"), config);
    ({ url, stop } = await startWorkerd(folder));
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a Worker accepts a signed delivery and its repetition", async () => {
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(await deliver(url, signedRequest("evt_1"))).toEqual({ status: 204, text: "" });
    }
  });

  test("a Worker refuses a changed body with 401 and a GET with 405", async () => {
    const { headers, body } = signedRequest("evt_2");
    expect(await deliver(url, { headers, body: `${body} ` })).toMatchObject({ status: 401 });
    expect((await fetch(url)).status).toBe(405);
  });
});

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  bindings = [(name = "SIGNING_SECRET", text = "${SECRET}")],
  compatibilityDate = "2026-11-01"
);
`;

/** The binary itself: its package starts it by an install script, which does not run. */
function workerdProgram(): string | null {
  const name = `${platform() === "win32" ? "windows" : platform()}-${arch() === "x64" ? "64" : arch()}`;
  const folder = join(process.env.TEST_WORKERD ?? "", "node_modules/@cloudflare", `workerd-${name}`);
  const file = join(folder, "bin", platform() === "win32" ? "workerd.exe" : "workerd");
  return process.env.TEST_WORKERD && existsSync(file) ? file : null;
}

async function startWorkerd(folder: string) {
  const args = ["serve", "config.capnp", "--control-fd=3"];
  const child = spawn(program ?? "", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit", "pipe"] });
  const exited = once(child, "exit");
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const { event, port } = JSON.parse(line);
    if (event !== "listen") continue;
    return {
      url: `http://127.0.0.1:${port}`,
      async stop() {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error("workerd ended before it listened.");
}
