import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { controlHeaders } from "../../support/access/control-token.ts";
import { httpApiResources, lambdaResource, newTempFolder, writeAssembly } from "../../support/assemblies/assemblies.ts";

const MAIN = fileURLToPath(new URL("../../local/assembly-stack-main.ts", import.meta.url));
const folder = newTempFolder();
const dataDir = join(folder.path, "data");
const localJson = join(dataDir, "local.json");
let assembly = "";
const runningProcesses: ChildProcess[] = [];

beforeAll(() => {
  const resources = {
    Table: {
      Type: "AWS::DynamoDB::Table",
      Properties: {
        AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
      },
    },
    Api: lambdaResource("api"),
    ...httpApiResources({ $default: "Api" }),
  };
  assembly = writeAssembly(folder.path, resources, {
    api: "export const handler = async (e) => { if (e.rawPath === '/hang') for (;;) {} return { statusCode: 200 }; };",
  });
});
afterEach(() => {
  for (const child of runningProcesses.splice(0)) child.kill("SIGKILL");
});
afterAll(folder.remove);

interface StackProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function startProcess(port = 0, flags: readonly string[] = []): StackProcess {
  const child = spawn(process.execPath, ["--no-warnings", ...flags, MAIN, assembly, dataDir, String(port)]);
  runningProcesses.push(child);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return { child, output: () => Buffer.concat(chunks).toString(), ended };
}

async function waitUntilReady({ output }: StackProcess): Promise<string> {
  await expect.poll(() => output(), { timeout: 20_000 }).toContain("Parley is running.");
  return (JSON.parse(readFileSync(localJson, "utf8")) as { base_url: string }).base_url;
}

/** The running child processes of a process. */
function childPids(pid: number | undefined): number[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((one) => parentPid(one) === pid);
}

function parentPid(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

const isAlive = (pid: number): boolean => parentPid(pid) !== undefined;

describe.runIf(process.platform === "linux")("the process of a local stack", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "the process of a local stack stops itself and its child processes within 5 seconds of %s",
    async (signal) => {
      const stack = startProcess();
      const baseUrl = await waitUntilReady(stack);
      const children = childPids(stack.child.pid);
      expect(children.length).toBeGreaterThan(0);
      // A function that never ends.
      const hanging = fetch(`${baseUrl}/hang`).catch(() => null);
      await fetch(`${baseUrl}/health`);
      const before = performance.now();
      stack.child.kill(signal);
      expect(await stack.ended).toBe(0);
      await hanging;
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(children.filter(isAlive)).toEqual([]);
      expect(existsSync(localJson)).toBe(false);
      expect(existsSync(join(dataDir, "lock"))).toBe(false);
    },
  );

  it("the process of a local stack prints each step of its start with its time before it is ready", async () => {
    const stack = startProcess();
    await waitUntilReady(stack);
    const [steps = "", ready] = stack.output().split("\n\n");
    expect(steps.replace(/^ +\d+\.\d s {2}/gm, "").split("\n")).toEqual([
      "Start the table, the emulators and the simulator",
      "Create the resources of the templates",
      "Load 1 functions",
    ]);
    expect(ready).toMatch(/^Parley is running\. It started in \d+\.\d s\.$/);
    stack.child.kill("SIGTERM");
    expect(await stack.ended).toBe(0);
  });

  it("the process of a local stack stops at SIGTERM during its start", async () => {
    const stack = startProcess();
    await expect.poll(() => existsSync(join(dataDir, "lock")), { interval: 5, timeout: 20_000 }).toBe(true);
    stack.child.kill("SIGTERM");
    expect(await stack.ended).toBe(0);
    expect(existsSync(join(dataDir, "lock"))).toBe(false);
  });

  it("the process of a local stack continues with its data after SIGKILL, and leftovers do not block the next start", async () => {
    const stack = startProcess();
    const baseUrl = await waitUntilReady(stack);
    const headers = controlHeaders(JSON.parse(readFileSync(localJson, "utf8")).control_token);
    await fetch(`${baseUrl}/_local/clock`, { method: "POST", headers, body: '{"advance":"P30D"}' });
    stack.child.kill("SIGKILL");
    await stack.ended;
    expect(existsSync(localJson)).toBe(true);
    const next = startProcess();
    const response = await fetch(`${await waitUntilReady(next)}/_local/clock`, { headers });
    const { now } = (await response.json()) as { now: string };
    expect(Date.parse(now) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    next.child.kill("SIGTERM");
    expect(await next.ended).toBe(0);
  });

  it("the process of a local stack reports that its port is in use and exits with 1", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as { port: number };
    const stack = startProcess(port);
    expect(await stack.ended).toBe(1);
    expect(stack.output()).toBe(`Port ${port} is in use. Stop the process that uses it, or choose another --port.\n`);
    await new Promise((resolve) => holder.close(resolve));
  });

  it("the process of a local stack reports a port of its own that other machines can reach and exits with 1", async () => {
    const code = `import { createServer } from "node:net";
      createServer((socket) => socket.destroy()).listen(0, "0.0.0.0");`;
    const stack = startProcess(0, ["--import", `data:text/javascript,${encodeURIComponent(code)}`]);
    expect(await stack.ended).toBe(1);
    expect(stack.output()).toMatch(
      /listens on 0\.0\.0\.0 port \d+, where other machines may reach it\. Start it without/,
    );
    expect(existsSync(localJson)).toBe(false);
    expect(existsSync(join(dataDir, "lock"))).toBe(false);
  });

  it("the process of a local stack reports that another stack uses its data folder and exits with 1", async () => {
    const first = startProcess();
    await waitUntilReady(first);
    const second = startProcess();
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(
      `Data folder ${dataDir} is in use by a local stack (process ${first.child.pid}). Stop it, or choose another folder with --data.\n`,
    );
    expect(existsSync(localJson)).toBe(true);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
  });
});
