import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Parley } from "#client";
import type { LocalJson } from "../../../local/stack/local-json.ts";
import { demoAccountIds, hubSignature, textEntry, wireBytes } from "../../e2e/support/platform-webhooks.ts";
import { runProgram } from "../../e2e/support/processes.ts";
import { descendantsOf } from "../../support/run/process-tree.ts";
import type { Peer } from "./peer.ts";

/** People who write: each has a conversation. */
const PEOPLE = 100;

export interface RunningParley extends Peer {
  readonly dataDir: string;
}

/**
 * The local stack of this repository, with its demo tenant. An event is one signed webhook of Messenger with one message.
 * @param checkout another checkout of this repository, with its packages installed, whose stack is started instead
 */
export async function startParley(checkout?: string): Promise<RunningParley> {
  const dataDir = mkdtempSync(join(tmpdir(), "parley-peers-"));
  const program = runProgram("bin/local", [], { PARLEY_PORT: "0", PARLEY_DATA: dataDir }, checkout);
  await waitUntilReady(program.output, program.exitCode);
  const info = JSON.parse(readFileSync(join(dataDir, "local.json"), "utf8")) as Required<LocalJson>;
  const client = new Parley({ baseUrl: info.base_url, apiKey: info.live_key });
  const agent = new Agent({ keepAlive: true });
  const { pid = 0 } = program.child;
  let published = 0;
  return {
    dataDir,
    pids: () => [pid, ...descendantsOf(pid)],
    async createEndpoint(url) {
      await client.webhooks.create({ url, events: ["message.received"] });
    },
    publish(id) {
      const person = `9${String(published++ % PEOPLE).padStart(15, "0")}`;
      const entry = textEntry(demoAccountIds.messenger, person, `m_${id}`, `Is ${id} in stock?`, Date.now());
      return post(agent, info, wireBytes("page", [entry]));
    },
    async stop() {
      agent.destroy();
      program.child.kill("SIGTERM");
      await program.exitCode;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(output: () => string, exitCode: Promise<number | null>): Promise<void> {
  let isOver = false;
  void exitCode.then(() => {
    isOver = true;
  });
  while (!output().includes("Ctrl-C")) {
    if (isOver) throw new Error(`The local stack ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function post(agent: Agent, { base_url, platform_secrets }: Required<LocalJson>, bytes: Buffer): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "content-length": bytes.length,
    "x-hub-signature-256": hubSignature(bytes, platform_secrets.meta),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${base_url}/webhooks/messenger`, { method: "POST", agent, headers }, (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`The webhook was answered with ${response.statusCode}.`));
      });
    });
    call.on("error", reject);
    call.end(bytes);
  });
}
