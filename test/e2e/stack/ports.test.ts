import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { sweepCheckpointKey } from "#features/delivery/store/items.ts";
import { isLoopback, listeningSockets } from "#local-aws/access/listening-sockets.ts";
import { controlHeaders } from "../../support/access/control-token.ts";
import { listPaths, openPaths } from "../../support/access/file-modes.ts";
import { type SignedFetch, signedFetch, signedHeaders } from "../../support/access/signed-fetch.ts";
import { openedOnce } from "../../support/opened.ts";
import { descendantsOf } from "../../support/run/process-tree.ts";
import { openSocket, type TestSocket } from "../../support/sockets/test-socket.ts";
import { testBrowser } from "../../web/support/browser.ts";
import { runAdmin } from "../support/admin.ts";
import { readTable } from "../support/dump-table.ts";
import { readQueues } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";

let stackPid: number;
/** Its management API is one of the services. */
let socket: TestSocket;
let connectionPath: string;
/** Of the stack's own process: all but the engine's, which the table's port stands before. */
let ports: readonly number[];

// Each port that the processes of a running stack have open, as the kernel lists them.

const stack = openedOnce(openSharedStack);
const environment = openedOnce(() => JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")));
beforeAll(async () => {
  stackPid = JSON.parse(readFileSync(join(stack.dataDir, "lock"), "utf8")).pid;
  const ticket = (await stack.api("POST", "/v1/realtime/ticket")).body.data as unknown as {
    ticket: string;
    url: string;
  };
  socket = await openSocket(`${ticket.url}?ticket=${ticket.ticket}`);
  // The delay of the first frame.
  await stack.clock("PT3S");
  const { connection_id } = JSON.parse(await socket.next((text) => text.includes('"hello"')));
  connectionPath = `${new URL(environment[env.realtimeEndpoint] ?? "").pathname}/@connections/${connection_id}`;
  ports = (listeningSockets(stackPid) ?? []).map(({ port }) => port);
});
afterAll(async () => {
  socket?.terminate();
});

const accessKey = () => ({ id: environment.AWS_ACCESS_KEY_ID ?? "", secret: environment.AWS_SECRET_ACCESS_KEY ?? "" });

/** A call that changes something at one of the ports, with all that it needs to be accepted. */
interface Attack extends SignedFetch {
  readonly path: string;
}

function attacks(): Attack[] {
  const Item = { PK: { S: "attack" }, SK: { S: "attack" } };
  const json = { "content-type": "application/json" };
  const target = (name: string, type = "1.0") => ({
    "x-amz-target": name,
    "content-type": `application/x-amz-json-${type}`,
  });
  const body = JSON.stringify;
  return [
    {
      service: "dynamodb",
      path: "/",
      headers: target("DynamoDB_20120810.PutItem"),
      body: body({ TableName: environment[env.table], Item }),
    },
    { service: "sqs", path: "/", headers: target("AmazonSQS.CreateQueue"), body: body({ QueueName: "attack" }) },
    {
      service: "secretsmanager",
      path: "/",
      headers: target("secretsmanager.CreateSecret", "1.1"),
      body: body({ Name: "attack" }),
    },
    { service: "s3", method: "PUT", path: "/attack" },
    {
      service: "execute-api",
      path: "/_sim/faults",
      headers: { ...json, ...controlHeaders(stack.info.control_token) },
      body: body({ mode: "5xx", on: "logins", for: 1 }),
    },
    {
      service: "execute-api",
      path: "/v1/webhooks",
      headers: { ...json, authorization: `Bearer ${stack.info.live_key}` },
      body: body({ url: "http://127.0.0.1:1/attack" }),
    },
    { service: "execute-api", path: connectionPath, body: body({ type: "pong" }) },
    {
      service: "execute-api",
      path: "/_local/clock",
      headers: { ...json, ...controlHeaders(stack.info.control_token) },
      body: body({ advance: "PT1M" }),
    },
  ];
}

/** A call of AWS has a signature, and any other its own header. */
const isSigned = ({ headers = {} }: Attack): boolean => headers.authorization === undefined;

/** Sends a signed call with other headers. The signature covers the name that the port has. */
async function attack(port: number, { path, ...call }: Attack, changes: Record<string, string>) {
  const url = `http://127.0.0.1:${port}${path}`;
  const { authorization } = call.headers ?? {};
  const signed = await signedHeaders(url, { ...call, accessKey: accessKey() });
  return await send(
    port,
    call.method ?? "POST",
    path,
    {
      ...signed,
      ...(authorization ? { authorization } : {}),
      ...changes,
    },
    call.body,
  );
}

interface Answer {
  readonly status: number | undefined;
  /** Headers that let a page read the answer. */
  readonly cors: readonly string[];
}

async function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  const call = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
  call.once("upgrade", (answer, socket) => {
    socket.destroy();
    call.emit("response", answer);
  });
  call.end(body);
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.resume();
  const cors = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
  return { status: answer.statusCode, cors };
}

const handshake = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,x-amz-date,x-amz-target",
};

/** What the calls above would change. */
/** The contents of the stack once the work of earlier calls is done: nothing changes for half a second. */
async function settledContents() {
  let latest = await contents();
  for (let before: unknown; !isDeepStrictEqual(before, latest); ) {
    await setTimeout(500);
    [before, latest] = [latest, await contents()];
  }
  return latest;
}

async function contents() {
  const simulated = await stack.sim<{ fault: unknown }>("GET", "/state");
  const readFile = (...path: string[]) => {
    const file = join(stack.dataDir, ...path);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const rows = await readTable(stack);
  return {
    // Without what sweeps and counters write at any time.
    table: rows
      .filter(({ PK, SK }) => SK !== sweepCheckpointKey.SK && !PK.startsWith("RQ#"))
      .map(toSortedJson)
      .sort(),
    queues: [...readQueues(stack.dataDir)].map(([name, messages]) => [name, messages.length]),
    secrets: readFile("emulators", "secrets.jsonl"),
    buckets: readFile("emulators", "s3.jsonl"),
    fault: simulated.fault,
    frames: [...socket.messages],
    clock: readFile("clock.json"),
  };
}

function toSortedJson(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe.runIf(process.platform === "linux")("each port of a running stack", () => {
  it("each port of a running stack is one of loopback, also the engine's", () => {
    const pids = [stackPid, ...descendantsOf(stackPid)];
    const sockets = pids.flatMap((pid) => listeningSockets(pid) ?? []);
    // The API, the simulator, the emulators, the WebSocket API, the table, and its engine.
    expect(sockets.length).toBeGreaterThanOrEqual(6);
    const isExposed = process.env.TEST_DYNAMODB === "dynamodb-local";
    expect(sockets.filter(({ address }) => !isLoopback(address))).toHaveLength(isExposed ? 1 : 0);
    const urls = [stack.info.base_url, stack.info.simulator_url, stack.info.ws_url, environment.AWS_ENDPOINT_URL];
    for (const url of [...urls, environment.AWS_ENDPOINT_URL_DYNAMODB]) {
      expect(ports).toContain(Number(new URL(url ?? "").port));
    }
  });

  it.each([
    ["a page of another origin", () => ({ origin: "http://evil.example" })],
    ["a page without an origin", () => ({ origin: "null" })],
    ["a page of another port of this machine", () => ({ origin: "http://127.0.0.1:1" })],
    ["a name that was pointed at this machine", (port: number) => ({ host: `evil.example:${port}` })],
    [
      "that name and its page",
      (port: number) => ({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
    ],
  ])(
    "each port of a running stack answers 403 to %s, without a CORS header and without effect",
    async (_name, changesAt) => {
      const before = await settledContents();
      for (const port of ports) {
        const changes = changesAt(port);
        const own = { host: `127.0.0.1:${port}`, ...changes };
        const answers = [
          await send(port, "GET", "/", own),
          await send(port, "OPTIONS", "/", { ...own, ...preflight }),
          await send(port, "OPTIONS", "/v1/conversations", { ...own, ...preflight }),
          await send(port, "GET", "/live?ticket=x", { ...own, ...handshake }),
          await send(port, "GET", "/openapi.json", own),
        ];
        for (const each of attacks()) answers.push(await attack(port, each, changes));
        const refused = answers.map(() => ({ status: 403, cors: [] }));
        expect([port, answers]).toEqual([port, refused]);
      }
      expect(await contents()).toEqual(before);
    },
  );

  it("each port of a running stack lets no page of any origin read what it answers to programs", async () => {
    const paths = ["/", "/openapi.json", "/health", "/docs", "/_sim/state", "/_local/mail"];
    for (const port of ports) {
      for (const path of paths) {
        const { cors } = await send(port, "GET", path, { host: `127.0.0.1:${port}` });
        expect(cors, `${port}${path}`).not.toContain("access-control-allow-origin");
      }
    }
  });

  it("each port of a running stack can do what those calls ask for, as its own caller", async () => {
    const before = await settledContents();
    for (const each of attacks().filter(({ path }) => path !== "/_local/clock")) {
      const answers = await Promise.all(ports.map((port) => attack(port, each, {})));
      expect([each.service, each.path, answers.filter(({ status = 500 }) => status < 300).length]).toEqual([
        each.service,
        each.path,
        1,
      ]);
    }
    const after = await contents();
    for (const name of Object.keys(before) as (keyof typeof before)[]) {
      if (name !== "clock") expect(after[name], name).not.toEqual(before[name]);
    }
  });

  it("each port of a running stack answers no unsigned call, and none of another key, that a service of AWS would refuse", async () => {
    const before = await settledContents();
    for (const each of attacks().filter(isSigned)) {
      for (const key of [null, { id: "local", secret: "local" }, { ...accessKey(), secret: "local" }]) {
        const answers = await Promise.all(
          ports.map(async (port) => {
            const url = `http://127.0.0.1:${port}${each.path}`;
            const { method = "POST", headers = {}, body } = each;
            if (key) return await signedFetch(url, { ...each, accessKey: key });
            return await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
          }),
        );
        expect(answers.filter(({ status }) => status < 400)).toEqual([]);
      }
    }
    const management = new URL(connectionPath, environment[env.realtimeEndpoint]).href;
    const other = { service: "execute-api", accessKey: { id: "local", secret: "local" } };
    for (const method of ["GET", "POST", "DELETE"]) {
      expect((await fetch(management, { method })).status).toBe(403);
      expect((await signedFetch(management, { ...other, method })).status).toBe(403);
    }
    expect((await signedFetch(management, { ...other, method: "GET", accessKey: accessKey() })).status).toBe(200);
    expect(await contents()).toEqual(before);
  });

  it("each port of a running stack answers a control route only with the token of the data folder, and names its file", async () => {
    const token = readFileSync(join(stack.dataDir, "control-token"), "utf8").trim();
    const before = await settledContents();
    const others = [
      {},
      controlHeaders(""),
      controlHeaders(`${token}0`),
      controlHeaders("0".repeat(token.length)),
      controlHeaders(stack.info.live_key),
      { authorization: `Basic ${Buffer.from(`local:${token}`).toString("base64")}` },
    ];
    const routes = [
      { url: stack.info.simulator_url, path: "/_sim/state" },
      { url: stack.info.simulator_url, path: "/_sim/faults", body: '{"mode":"5xx"}' },
      { url: stack.info.base_url, path: "/_local/mail" },
      { url: stack.info.base_url, path: "/_local/clock", body: '{"advance":"PT1M"}' },
    ];
    for (const { url, path, body } of routes) {
      const method = body === undefined ? "GET" : "POST";
      for (const headers of others) {
        for (const port of ports) {
          const own = { host: `127.0.0.1:${port}`, ...headers };
          const { status = 0 } = await send(port, method, path, own, body);
          if (url.endsWith(`:${port}`)) expect([path, headers, status]).toEqual([path, headers, 401]);
          else expect(status, `${port}${path}`).toBeGreaterThanOrEqual(400);
        }
      }
      const refused = await fetch(url + path, { method, ...(body === undefined ? {} : { body }) });
      expect(await refused.text()).toContain("control-token in the data folder");
      if (body !== undefined) continue;
      expect((await fetch(url + path, { headers: controlHeaders(token) })).status).toBe(200);
    }
    expect(await contents()).toEqual(before);
  });
});

it("no command controls a stack that took the ports of a killed one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-killed-"));
  writeFileSync(join(folder, "environment.json"), JSON.stringify(environment));
  writeFileSync(join(folder, "local.json"), JSON.stringify({ ...stack.info, control_token: "0".repeat(40) }));
  const before = await settledContents();
  for (const args of [
    ["clock", "1h"],
    ["message", "Hi"],
  ]) {
    const { code, errors } = await runAdmin(folder, ...args);
    expect([args, code]).toEqual([args, 1]);
    expect(errors).toMatch(/^No local stack runs with the data folder [^\n]+\n$/);
  }
  rmSync(folder, { recursive: true });
  expect(await contents()).toEqual(before);
});

it("the data folder of a running stack is its owner's alone, with every file in it, also those of the engine", () => {
  expect(openPaths(stack.dataDir)).toEqual([]);
  const paths = listPaths(stack.dataDir).map((path) => path.slice(stack.dataDir.length + 1));
  expect(paths).toContain("aws-credentials");
  expect(paths).toContain("control-token");
  expect(paths.some((path) => /^dynamodb\/.*\.(sqlite|db)/.test(path))).toBe(true);
});

describe("a page in the browser of this machine", () => {
  let page: Page;
  let close: () => void;
  beforeAll(async () => {
    const site = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Another site</title>");
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    close = () => site.close();
    page = await (await testBrowser()).newPage();
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await page?.close();
    close?.();
  });

  /** Tries each port in each way of a page. Returns what it could read, and the sockets that opened. */
  async function readable(hostName: string, tried = ports): Promise<string[]> {
    const calls = attacks().map(({ path, headers, body, method = "POST" }) => ({ path, headers, body, method }));
    return await page.evaluate(
      async ({ ports: numbers, calls: each, name }) => {
        const successes: string[] = [];
        const attempt = async (label: string, url: string, init: RequestInit) => {
          const answer = await fetch(url, init).catch(() => null);
          if (answer !== null && answer.type !== "opaque" && answer.status !== 403) successes.push(label);
        };
        for (const port of numbers) {
          const origin = `http://${name}:${port}`;
          await attempt(`GET ${port}`, origin, {});
          for (const { path, method, headers, body } of each) {
            const content = body === undefined ? {} : { body };
            await attempt(`${method} ${port}${path}`, origin + path, { method, headers: headers ?? {}, ...content });
            await attempt(`simple ${port}${path}`, origin + path, { method: "POST", mode: "no-cors", ...content });
          }
          const isOpen = await new Promise<boolean>((resolve) => {
            const socket = new WebSocket(`ws://${name}:${port}/live?ticket=x`);
            socket.onopen = () => resolve(true);
            socket.onerror = () => resolve(false);
          });
          if (isOpen) successes.push(`socket ${port}`);
        }
        return successes;
      },
      { ports: tried, calls, name: hostName },
    );
  }

  it("a page in the browser of this machine of another site reads nothing from any port and changes nothing", async () => {
    const before = await settledContents();
    for (const name of ["127.0.0.1", "localhost"]) expect(await readable(name)).toEqual([]);
    expect(await contents()).toEqual(before);
  });

  it("a page in the browser of this machine whose name was pointed at a port is answered with 403", async () => {
    const before = await settledContents();
    for (const port of ports) {
      // A browser resolves each name below localhost to this machine.
      const answer = await page.goto(`http://evil.localhost:${port}/`);
      expect([port, answer?.status()]).toEqual([port, 403]);
      expect(await readable("evil.localhost", [port])).toEqual([]);
    }
    expect(await contents()).toEqual(before);
  });

  it("a page in the browser of this machine of the API itself reads its own port", async () => {
    await page.goto(`${stack.info.base_url}/docs`);
    expect(await page.evaluate(async () => (await fetch("/health")).status)).toBe(200);
  });
});
