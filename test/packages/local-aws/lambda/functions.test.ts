import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Functions, openFunctions, readFunctions } from "#local-aws/lambda/functions.ts";
import { FunctionFailed } from "#local-aws/lambda/sandbox.ts";
import { openClock } from "#local-aws/support/clock.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { HOUR } from "#local-aws/support/time.ts";
import { Resolver } from "#local-aws/template/intrinsics.ts";
import { type Resource, readAssembly } from "#local-aws/template/template.ts";
import {
  eventSourceMapping,
  lambdaResource,
  newTempFolder,
  writeAssembly,
} from "../../../support/assemblies/assemblies.ts";

const folder = newTempFolder();
const running: Functions[] = [];
const logChunks: Buffer[] = [];
afterEach(async () => {
  for (const functions of running.splice(0)) await functions.close();
  logChunks.length = 0;
  folder.remove();
});

/** Starts one function, `Echo`, with this source. */
function run(
  source: string,
  properties: Record<string, unknown> = {},
  replaced: Record<string, string> = {},
  concurrencyMax?: number,
) {
  const assembly = readAssembly(
    writeAssembly(folder.path, { Echo: lambdaResource("echo", properties) }, { echo: source }),
  );
  const clock = openClock(folder.path);
  const functions = openFunctions(readFunctions(assembly), new Resolver(assembly), {
    extraVariables: { AWS_ENDPOINT_URL: "http://127.0.0.1:1" },
    variableOverrides: replaced,
    accessKeyOf: () => ({ id: "LOCALKEY", secret: "secret" }),
    clock: clock.shared,
    host: { symbol: "parley.host", values: { openEgress: true } },
    budget: { sandboxesMax: 20, loadsMax: 2, startLoadsMax: 2 },
    concurrencyMax,
    log: (chunk) => logChunks.push(chunk),
  });
  running.push(functions);
  return { functions, clock };
}

/** A server that sends data to every connection when the test says so. */
async function openServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    send: () => Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write("data", resolve)))),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

it("functions refuse an invocation while as many run as the account permits, and idle sandboxes do not count", async () => {
  const source = `export const handler = async ({ hang }) => {
    if (hang) await new Promise((resolve) => setTimeout(resolve, 200));
    return "ran"; };`;
  const { functions } = run(source, {}, {}, 2);
  const running = [functions.invoke("Echo", { hang: true }), functions.invoke("Echo", { hang: true })];
  await expect(functions.invoke("Echo", {})).rejects.toMatchObject({ name: "FunctionFailed", reason: "throttled" });
  expect(await Promise.all(running)).toEqual(["ran", "ran"]);
  expect(await functions.invoke("Echo", {})).toBe("ran");
});

it("a function runs its bundle with its own environment, the runtime's and nothing of this process", async () => {
  process.env.PARLEY_OF_THE_SHELL = "1";
  const { functions } = run(
    "export const handler = async (event) => ({ event, env: process.env });",
    {
      Environment: { Variables: { OWN: { Ref: "AWS::Region" }, HOSTS: "from-template" } },
      MemorySize: 256,
    },
    { HOSTS: "from-stack", NOT_IN_TEMPLATE: "x" },
  );
  const { event, env } = (await functions.invoke("Echo", { a: 1 })) as {
    event: unknown;
    env: Record<string, string>;
  };
  expect(event).toEqual({ a: 1 });
  expect(env).toEqual(functions.environment("Echo"));
  expect(env).toMatchObject({
    OWN: "us-east-1",
    HOSTS: "from-stack",
    AWS_ENDPOINT_URL: "http://127.0.0.1:1",
    AWS_ACCESS_KEY_ID: "LOCALKEY",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_LAMBDA_FUNCTION_NAME: "Planted-Echo",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
  });
  expect(env).not.toHaveProperty("NOT_IN_TEMPLATE");
  expect(env).not.toHaveProperty("PARLEY_OF_THE_SHELL");
  delete process.env.PARLEY_OF_THE_SHELL;
});

it("a function gets the remaining time and the id of its request", async () => {
  const { functions } = run(
    "export const handler = async (_event, c) => [c.getRemainingTimeInMillis(), c.awsRequestId, c.functionName];",
    { Timeout: 7 },
  );
  const [remainingMs, id, name] = (await functions.invoke("Echo", {})) as [number, string, string];
  expect(remainingMs).toBeGreaterThan(5_000);
  expect(remainingMs).toBeLessThanOrEqual(7_000);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(name).toBe("Planted-Echo");
});

it("a function sees a jump of the stack's clock at once, while Date shows the real time", async () => {
  const { functions, clock } = run(
    'export const handler = async () => [globalThis[Symbol.for("parley.host")].now() - Date.now(), globalThis[Symbol.for("parley.host")].openEgress];',
  );
  const [before, openEgress] = (await functions.invoke("Echo", {})) as [number, boolean];
  expect(before).toBe(0);
  expect(openEgress).toBe(true);
  clock.advance(24 * HOUR);
  expect((await functions.invoke("Echo", {})) as number[]).toEqual([24 * HOUR, true]);
});

it("a function has the clock while its bundle is loaded", async () => {
  const { functions } = run(
    'const atLoad = typeof globalThis[Symbol.for("parley.host")].now; export const handler = async () => atLoad;',
  );
  expect(await functions.invoke("Echo", {})).toBe("function");
});

it("a function takes one event at a time in each sandbox and opens a sandbox for each concurrent event", async () => {
  await using server = await openServer();
  const { functions } = run(
    `import { once } from "node:events";
       import { connect } from "node:net";
       let inside = 0, most = 0;
       const here = Math.random();
       export const handler = async () => {
         most = Math.max(most, ++inside);
         await once(connect(${server.port}, "127.0.0.1"), "data");
         inside--;
         return { most, here };
       };`,
  );
  const events = Array.from({ length: 6 }, () => functions.invoke("Echo", {}));
  await expect.poll(() => server.sockets.length, { timeout: 20_000 }).toBe(6);
  await server.send();
  const answers = (await Promise.all(events)) as { most: number; here: number }[];
  expect(Math.max(...answers.map(({ most }) => most))).toBe(1);
  expect(new Set(answers.map(({ here }) => here)).size).toBe(6);
});

it("a function never exceeds its reserved concurrency", async () => {
  const { functions } = run("const here = Math.random(); export const handler = async () => here;", {
    ReservedConcurrentExecutions: 1,
  });
  const answers = await Promise.all(Array.from({ length: 5 }, () => functions.invoke("Echo", {})));
  expect(new Set(answers).size).toBe(1);
});

it("a function is stopped at its timeout, and a new sandbox handles the next event", async () => {
  const { functions } = run(
    "const here = Math.random(); export const handler = async (event) => { for (; event.hang; ) {} return here; };",
    { Timeout: 1, ReservedConcurrentExecutions: 1 },
  );
  const before = await functions.invoke("Echo", {});
  const late = functions.invoke("Echo", { hang: true });
  const next = functions.invoke("Echo", {});
  await expect(late).rejects.toMatchObject({ reason: "timed-out", message: expect.stringContaining("1.00 seconds") });
  expect(await next).toEqual(expect.any(Number));
  expect(await next).not.toBe(before);
});

it("a function has the same sandbox after it threw", async () => {
  const { functions } = run(
    'const here = Math.random(); export const handler = async (event) => { if (event.fail) throw new TypeError("no"); return here; };',
  );
  const before = await functions.invoke("Echo", {});
  await expect(functions.invoke("Echo", { fail: true })).rejects.toMatchObject({
    reason: "threw",
    message: "TypeError: no",
  });
  expect(await functions.invoke("Echo", {})).toBe(before);
});

it("a function gets a new sandbox after it exits", async () => {
  const { functions } = run("export const handler = async (event) => { if (event.die) process.exit(1); return 1; };");
  await expect(functions.invoke("Echo", { die: true })).rejects.toMatchObject({ reason: "died" });
  expect(await functions.invoke("Echo", {})).toBe(1);
});

it("a function fails its event if its bundle cannot be loaded, and is loaded again for the next event", async () => {
  const { functions } = run('throw new Error("broken"); export const handler = 1;');
  for (let at = 0; at < 2; at++) {
    const failure = functions.invoke("Echo", {});
    await expect(failure).rejects.toBeInstanceOf(FunctionFailed);
    await expect(failure).rejects.toMatchObject({ reason: "unloadable", message: "Error: broken" });
  }
});

it("a function fails its event if the bundle lacks the handler", async () => {
  const { functions } = run("export const other = 1;");
  await expect(functions.invoke("Echo", {})).rejects.toThrow(/does not export a function called handler/);
});

it("a function returns its result as JSON encodes it", async () => {
  const { functions } = run("export const handler = async () => ({ at: new Date(0), gone: undefined });");
  expect(await functions.invoke("Echo", {})).toEqual({ at: "1970-01-01T00:00:00.000Z" });
});

it("a function has its output logged", async () => {
  const { functions } = run('export const handler = async () => { console.log("printed here"); };');
  expect(await functions.invoke("Echo", {})).toBeNull();
  await expect.poll(() => Buffer.concat(logChunks).toString()).toContain("printed here");
});

it.each([
  ["its reserved concurrency", ["One", "Two"], { ReservedConcurrentExecutions: 3 }, 3],
  ["the concurrency of its queues together", ["One", "Two"], {}, 14],
  ["the account's concurrency without either", [], {}, 1_000],
])("a function has as many sandboxes as %s", (_what, queues, properties, expected) => {
  const scaling = { ScalingConfig: { MaximumConcurrency: 7 } };
  const sources = queues.map((name): [string, Resource] => [`From${name}`, eventSourceMapping("Echo", name, scaling)]);
  const resources = { Echo: lambdaResource("echo", properties), ...Object.fromEntries(sources) };
  const [declared] = readFunctions(readAssembly(writeAssembly(folder.path, resources, { echo: "" })));
  expect(declared?.sandboxesMax).toBe(expected);
});

it("a function ends with the stack, even during an event", async () => {
  const { functions } = run("export const handler = async () => { for (;;) {} };");
  const running = functions.invoke("Echo", {});
  const failed = expect(running).rejects.toMatchObject({ reason: "died" });
  await functions.close();
  await failed;
});

/** Appends the word to the file when the work that a handler left behind goes on. */
const note = (word: string) => `appendFileSync(${JSON.stringify(join(folder.path, "notes"))}, "${word} ")`;
const readNotes = () => {
  const file = join(folder.path, "notes");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
};

it("a sandbox between two events stands still: a timer and a socket that a handler left behind go on with its next event only", async () => {
  await using server = await openServer();
  const { functions } = run(
    `import { appendFileSync } from "node:fs";
       import { once } from "node:events";
       import { connect } from "node:net";
       import { setTimeout as wait } from "node:timers/promises";
       let left = Promise.resolve();
       export const handler = async ({ act }) => {
         if (act === "go on") return void (await left);
         const socket = connect(${server.port}, "127.0.0.1");
         await once(socket, "connect");
         const data = once(socket, "data");
         if (act === "finish") return void (await data.then(() => wait(50)));
         left = Promise.all([data.then(() => ${note("socket")}), wait(1).then(() => ${note("timer")})]);
       };`,
  );
  const finishing = functions.invoke("Echo", { act: "finish" });
  await expect.poll(() => server.sockets.length).toBe(1);
  await functions.invoke("Echo", { act: "leave" });
  await server.send();
  // A second sandbox gets its data and waits longer: the first could already have done both.
  await finishing;
  expect(readNotes()).toBe("");

  await Promise.all([functions.invoke("Echo", { act: "go on" }), functions.invoke("Echo", { act: "go on" })]);
  expect(readNotes().split(" ").sort()).toEqual(["socket", "timer"]);
});

it("a sandbox between two events stands still before its first event too", async () => {
  const { functions } = run(
    `import { appendFileSync } from "node:fs";
       setTimeout(() => ${note("timer")}, 1);
       export const handler = async () => new Promise((resolve) => setTimeout(resolve, 20));`,
  );
  await functions.load();
  await functions.invoke("Echo", {});
  expect(readNotes()).toBe("timer");
});

it("a sandbox between two events ends at once when the stack ends, with work left behind", async () => {
  const { functions } = run("export const handler = async () => { setInterval(() => {}, 1); };");
  await functions.invoke("Echo", {});
  await functions.close();
  await expect(functions.invoke("Echo", {})).rejects.toMatchObject({ reason: "died" });
});

it("a sandbox between two events has written all of its output", async () => {
  const { functions } = run(
    `export const handler = async () => { for (const word of ["one", "two", "three"]) console.log(word); };`,
  );
  await functions.invoke("Echo", {});
  expect(Buffer.concat(logChunks).toString()).toBe("one\ntwo\nthree\n");
});

describe("a template's function is rejected", () => {
  const declared = (properties: Record<string, unknown>, bundles: Record<string, string> = { echo: "" }) => {
    const assembly = readAssembly(writeAssembly(folder.path, { Echo: lambdaResource("echo", properties) }, bundles));
    return () => readFunctions(assembly);
  };
  it.each([
    ["without a bundle", {}, {}, /no bundle/],
    ["when the handler's module is not in the bundle", { Handler: "other.handler" }, { echo: "" }, /no bundle/],
    ["when its code is inline", { Code: { ZipFile: "x" } }, { echo: "" }, /no bundle/],
    ["when it is not for Node.js", { Runtime: "python3.13" }, { echo: "" }, /python3\.13/],
  ])("a template's function is rejected %s", (_why, properties, bundles, message) => {
    const declare = declared(properties, bundles as Record<string, string>);
    expect(declare).toThrow(LocalRefusal);
    expect(declare).toThrow(message);
  });

  it("a template's function is rejected when it does not exist", async () => {
    const { functions } = run("export const handler = async () => 1;");
    await expect(functions.invoke("Ghost", {})).rejects.toThrow(/no function Ghost/);
  });
});
