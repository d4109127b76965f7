import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type EngineOptions, startEngine } from "#local-aws/dynamodb/engine.ts";
import type { Program } from "#local-aws/dynamodb/programs.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";

// An engine whose process listens where the test says, regardless of the address that it gets.
let dataDir: string;
let pidFile: string;
beforeEach(() => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "");
  dataDir = mkdtempSync(join(tmpdir(), "exposed-engine-"));
  pidFile = join(dataDir, "pid");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dataDir, { recursive: true, force: true });
});

function engineListeningOn(address: string | null, takesHost = true): Program {
  return {
    name: "dynoxide",
    takesHost,
    listening: /listening/,
    portTaken: /taken/,
    command: ({ host, port, accessKeyId = "any key" }) => [
      process.execPath,
      "--eval",
      `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      require("node:fs").writeFileSync(${JSON.stringify(join(dataDir, "key"))}, ${JSON.stringify(accessKeyId)});
      require("node:http").createServer((request, response) => response.end())
        .listen(${port}, ${JSON.stringify(address ?? host)}, () => console.log("listening"));`,
    ],
  };
}

const start = (program: Program, options: Partial<EngineOptions> = {}) =>
  startEngine({ dataDir: null, program, exposedSetting: "Set LOCAL_EXPOSED=1", ...options });

it("an engine on loopback is started, at an address that no page can guess", async () => {
  const program = engineListeningOn(null);
  const urls = [];
  for (let round = 0; round < 2; round++) {
    const engine = await start(program);
    urls.push(engine.url);
    await engine.close();
  }
  if (process.platform !== "linux") return;
  const [first, second] = urls.map((url) => new URL(url).hostname);
  expect(first).toMatch(/^127\.\d+\.\d+\.\d+$/);
  expect(first).not.toBe(second);
});

it("an engine that listens beyond loopback is stopped, and the start refused with the option that accepts it", async () => {
  const program = engineListeningOn("0.0.0.0");
  const refusal = await start(program).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(LocalRefusal);
  expect(String(refusal)).toMatch(/listens on (0\.0\.0\.0:)?\d+.*other machines.*Set LOCAL_EXPOSED=1 to accept/);
  const pid = Number(readFileSync(pidFile, "utf8"));
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  const engine = await start(program, { mayBeExposed: true });
  await engine.close();
});

it("an engine that takes no address is not even started without that option", async () => {
  const program = engineListeningOn(null, false);
  await expect(start(program)).rejects.toThrow(/every interface of this machine.*Set LOCAL_EXPOSED=1 to accept/);
  expect(existsSync(pidFile)).toBe(false);
});

it.each(["shared-local-instance.db", "LOCAL0_us-east-1.db"])(
  "the access key of a data folder finds the tables of an earlier version or of a lost key: %s",
  async (name) => {
    const program = engineListeningOn(null);
    writeFileSync(join(dataDir, name), "tables");
    for (let round = 0; round < 2; round++) {
      const engine = await start(program, { dataDir, accessKeyId: "LOCAL1" });
      expect(readdirSync(dataDir).filter((file) => file.endsWith(".db"))).toEqual(["LOCAL1_us-east-1.db"]);
      await engine.close();
    }
  },
);
