import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetItemCommand, ListTablesCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Engine, EngineFailed, startEngine } from "#local-aws/dynamodb/engine.ts";
import { findDynamoDbLocal, findDynoxide } from "#local-aws/dynamodb/programs.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { clientFor, createTable, preferredEngine } from "../../../support/engine/engine.ts";
import { sampleTable } from "./sample-table.ts";

const prefer = preferredEngine();
const onLinux = process.platform === "linux";

let dataDir: string;
const engines: Engine[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "");
  dataDir = mkdtempSync(join(tmpdir(), "parley-engine-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Partial<Parameters<typeof startEngine>[0]> = {}): Promise<Engine> {
  const engine = await startEngine({ dataDir, ...prefer, ...options });
  engines.push(engine);
  return engine;
}

const Item = { PK: { S: "p" }, SK: { S: "s" }, v: { S: "stored" } };

async function write(url: string): Promise<void> {
  const client = clientFor(url);
  await createTable(client, "table", sampleTable);
  await client.send(new PutItemCommand({ TableName: "table", Item }));
  client.destroy();
}

async function read(url: string): Promise<unknown> {
  const client = clientFor(url);
  const Key = { PK: Item.PK, SK: Item.SK };
  const { Item: storedItem } = await client.send(new GetItemCommand({ TableName: "table", Key }));
  client.destroy();
  return storedItem;
}

async function tables(url: string): Promise<string[] | undefined> {
  const client = clientFor(url);
  const { TableNames } = await client.send(new ListTablesCommand({})).finally(() => client.destroy());
  return TableNames;
}

function readLockFile(): { engine: number; owner: number } {
  return JSON.parse(readFileSync(join(dataDir, "engine.json"), "utf8"));
}

/** Zombie processes do not count as alive: their command line is empty. */
async function waitUntilExited(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000, interval: 10 });
}

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

test("an engine answers on loopback from its start until it is closed", async () => {
  const engine = await start({ dataDir: null });
  expect(engine.url).toMatch(/^http:\/\/127\.\d+\.\d+\.\d+:\d+$/);
  expect(await tables(engine.url)).toEqual([]);
  await engine.close();
  await engine.close();
  await expect(tables(engine.url)).rejects.toThrow("ECONNREFUSED");
});

test("an engine stores no data without a folder", async () => {
  const first = await start({ dataDir: null });
  await write(first.url);
  await first.close();
  expect(await tables((await start({ dataDir: null })).url)).toEqual([]);
});

test("an engine still has a folder's data after a close", async () => {
  const first = await start();
  await write(first.url);
  await first.close();
  expect(await read((await start()).url)).toEqual(Item);
});

test.runIf(onLinux)("an engine still has an acknowledged write after an immediate kill", async () => {
  const first = await start();
  await write(first.url);
  process.kill(readLockFile().engine, "SIGKILL");
  await waitUntilExited(readLockFile().engine);
  expect(await read((await start()).url)).toEqual(Item);
});

test("an engine is the one from the environment, and then no process is started", async () => {
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1/");
  const engine = await start();
  expect(engine).toMatchObject({ name: "given", url: "http://127.0.0.1:1" });
  expect(() => readLockFile()).toThrow("ENOENT");
});

test("an engine uses the requested port, and fails if the port is in use", async () => {
  const occupiedPort = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(occupiedPort, "listening");
  const address = occupiedPort.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(start({ dataDir: null, port })).rejects.toThrow(EngineFailed);
  await new Promise((resolve) => occupiedPort.close(resolve));
  expect((await start({ dataDir: null, port })).url).toBe(`http://127.0.0.1:${port}`);
});

test.runIf(findDynoxide() && findDynamoDbLocal())(
  "an engine is dynoxide by default, or the preferred one",
  async () => {
    expect((await startAndClose({})).name).toBe("dynoxide");
    expect((await startAndClose({ prefer: "dynamodb-local" })).name).toBe("dynamodb-local");
  },
);

test("an engine that cannot run here fails with all the ways to install one", async () => {
  vi.stubEnv("DYNAMODB_LOCAL_HOME", dataDir);
  const refusal = await startEngine({ dataDir: null, prefer: "dynamodb-local", mayBeExposed: true }).catch(
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(LocalRefusal);
  for (const way of ["@dynoxide/linux-x64", "Java 17", "DYNAMODB_LOCAL_HOME", "AWS_ENDPOINT_URL_DYNAMODB"]) {
    expect(String(refusal)).toContain(way);
  }
});

async function startAndClose(options: { prefer?: "dynamodb-local" }): Promise<Engine> {
  const engine = await startEngine({ dataDir: null, mayBeExposed: true, ...options });
  await engine.close();
  return engine;
}

describe.runIf(onLinux)("an engine's process", () => {
  test("an engine's process ends when its owner is killed, and the next start has the data", async () => {
    const owner = await spawnOwner();
    const { engine, owner: pid } = readLockFile();
    expect(pid).toBe(owner.pid);
    owner.kill("SIGKILL");
    await waitUntilExited(engine);
    expect(await read((await start()).url)).toEqual(Item);
  });

  test("an engine's process ends when its owner exits", async () => {
    const owner = await spawnOwner();
    const { engine } = readLockFile();
    owner.stdin?.end();
    expect(await once(owner, "exit")).toEqual([0, null]);
    await waitUntilExited(engine);
  });

  test("an engine's process is not stopped by a second start while its owner lives", async () => {
    const first = await start();
    await write(first.url);
    await expect(start()).rejects.toThrow(/in use by process/);
    expect(await read(first.url)).toEqual(Item);
  });

  test("an engine's process is stopped by the next start if its owner is dead", async () => {
    const orphan = spawn("sh", ["-c", 'read line; : "$1"', "left-behind", `${dataDir}/dynamodb.sqlite`]);
    children.push(orphan);
    const exit = once(orphan, "exit");
    writeFileSync(join(dataDir, "engine.json"), JSON.stringify({ engine: orphan.pid, owner: await deadPid() }));
    await start();
    expect((await exit)[1]).toBe("SIGTERM");
  });

  test("an engine's process is not confused with another process that has its pid now", async () => {
    const stranger = spawn("sh", ["-c", "read line", "stranger", `${dataDir}-other/dynamodb.sqlite`]);
    children.push(stranger);
    writeFileSync(join(dataDir, "engine.json"), JSON.stringify({ engine: stranger.pid, owner: await deadPid() }));
    await start();
    expect(stranger.signalCode).toBeNull();
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });

  test("an engine's process starts if its lock file is unreadable", async () => {
    writeFileSync(join(dataDir, "engine.json"), '{"engine":');
    expect(await tables((await start()).url)).toEqual([]);
  });
});

/** Starts a process that starts an engine on the folder, writes an item and runs until its stdin ends. */
async function spawnOwner(): Promise<ChildProcess> {
  const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { PutItemCommand } from "@aws-sdk/client-dynamodb";
    import { startEngine } from ${from("../../../../packages/local-aws/src/dynamodb/engine.ts")};
    import { clientFor, createTable } from ${from("../../../support/engine/engine.ts")};
    import { sampleTable } from ${from("./sample-table.ts")};
    const { url } = await startEngine(${JSON.stringify({ dataDir, ...prefer })});
    const client = clientFor(url);
    await createTable(client, "table", sampleTable);
    await client.send(new PutItemCommand({ TableName: "table", Item: ${JSON.stringify(Item)} }));
    client.destroy();
    console.log("ready");
    process.stdin.resume();`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: new URL("../../../..", import.meta.url),
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(owner);
  expect(String((await once(owner.stdout, "data"))[0])).toBe("ready\n");
  return owner;
}

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid ?? 0;
}
