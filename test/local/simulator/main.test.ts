import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startWebhookReceiver } from "./simulator-fixture.ts";

const program = fileURLToPath(new URL("../../../local/simulator/main.ts", import.meta.url));

function start(environment: Record<string, string>) {
  const child = spawn(process.execPath, [program], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    child,
    output: () => output,
    url: async (): Promise<string> => {
      while (!/http:\S+/.test(output)) await once(child.stdout, "data");
      return /http:\S+/.exec(output)?.[0] ?? "";
    },
  };
}

test("a pending webhook survives a kill of the program", async () => {
  const folder = await mkdtemp(join(tmpdir(), "simulator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hook = await startWebhookReceiver();
  hook.settings.status = 500;
  const environment = {
    SIM_PORT: "0",
    SIM_WEBHOOK_BASE: hook.url,
    SIM_META_SECRET: "m",
    SIM_INSTAGRAM_SECRET: "i",
    SIM_VERIFY_TOKEN: "v",
    SIM_STATE: join(folder, "state.json"),
  };
  const first = start(environment);
  const url = await first.url();
  const { accounts } = (await (await fetch(`${url}/_sim/state`)).json()) as { accounts: { externalId: string }[] };
  const body = JSON.stringify({ account: accounts[0]?.externalId, text: "Still here?" });
  await fetch(`${url}/_sim/person-sends`, { method: "POST", body });
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  const tries = hook.got.length;
  expect(tries).toBeGreaterThan(0);
  hook.settings.status = 200;
  const second = start(environment);
  const all = await hook.waitForWebhooks(tries + 1);
  expect(all.at(-1)?.raw).toBe(all[0]?.raw);
  await second.url();
  second.child.kill("SIGTERM");
  expect(await once(second.child, "exit")).toEqual([0, null]);
});

test("without its settings, the program names the missing one and exits", async () => {
  const { child, output } = start({ SIM_WEBHOOK_BASE: "http://127.0.0.1:9" });
  expect(await once(child, "close")).toEqual([1, null]);
  expect(output()).toBe("SIM_META_SECRET is not set: set it and start again\n");
});
