import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { isLoopback, listeningSockets } from "#local-aws/access/listening-sockets.ts";
import { controlHeaders } from "../../support/access/control-token.ts";
import { listPaths, openPaths } from "../../support/access/file-modes.ts";
import { signedFetch } from "../../support/access/signed-fetch.ts";
import { openedOnce } from "../../support/opened.ts";
import { descendantsOf } from "../../support/run/process-tree.ts";
import { runAdmin } from "../support/admin.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { isSigned, openStackPorts, send } from "./support/stack-ports.ts";

const stack = openedOnce(openSharedStack);
const services = openedOnce(() => openStackPorts(stack));

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

describe.runIf(process.platform === "linux")("each port of a running stack", () => {
  it("each port of a running stack is one of loopback, also the engine's", () => {
    const pids = [services.stackPid, ...descendantsOf(services.stackPid)];
    const sockets = pids.flatMap((pid) => listeningSockets(pid) ?? []);
    // The API, the simulator, the emulators, the WebSocket API, the table, and its engine.
    expect(sockets.length).toBeGreaterThanOrEqual(6);
    const isExposed = process.env.TEST_DYNAMODB === "dynamodb-local";
    expect(sockets.filter(({ address }) => !isLoopback(address))).toHaveLength(isExposed ? 1 : 0);
    const urls = [
      stack.info.base_url,
      stack.info.simulator_url,
      stack.info.ws_url,
      services.environment.AWS_ENDPOINT_URL,
    ];
    for (const url of [...urls, services.environment.AWS_ENDPOINT_URL_DYNAMODB]) {
      expect(services.ports).toContain(Number(new URL(url ?? "").port));
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
      const before = await services.settledContents();
      for (const port of services.ports) {
        const changes = changesAt(port);
        const own = { host: `127.0.0.1:${port}`, ...changes };
        const answers = [
          await send(port, "GET", "/", own),
          await send(port, "OPTIONS", "/", { ...own, ...preflight }),
          await send(port, "OPTIONS", "/v1/conversations", { ...own, ...preflight }),
          await send(port, "GET", "/live?ticket=x", { ...own, ...handshake }),
          await send(port, "GET", "/openapi.json", own),
        ];
        for (const each of services.attacks()) answers.push(await services.attack(port, each, changes));
        const refused = answers.map(() => ({ status: 403, cors: [] }));
        expect([port, answers]).toEqual([port, refused]);
      }
      expect(await services.contents()).toEqual(before);
    },
  );

  it("each port of a running stack lets no page of any origin read what it answers to programs", async () => {
    const paths = ["/", "/openapi.json", "/health", "/docs", "/_sim/state", "/_local/mail"];
    for (const port of services.ports) {
      for (const path of paths) {
        const { cors } = await send(port, "GET", path, { host: `127.0.0.1:${port}` });
        expect(cors, `${port}${path}`).not.toContain("access-control-allow-origin");
      }
    }
  });

  it("each port of a running stack can do what those calls ask for, as its own caller", async () => {
    const before = await services.settledContents();
    for (const each of services.attacks().filter(({ path }) => path !== "/_local/clock")) {
      const answers = await Promise.all(services.ports.map((port) => services.attack(port, each, {})));
      expect([each.service, each.path, answers.filter(({ status = 500 }) => status < 300).length]).toEqual([
        each.service,
        each.path,
        1,
      ]);
    }
    const after = await services.contents();
    for (const name of Object.keys(before) as (keyof typeof before)[]) {
      if (name !== "clock") expect(after[name], name).not.toEqual(before[name]);
    }
  });

  it("each port of a running stack answers no unsigned call, and none of another key, that a service of AWS would refuse", async () => {
    const before = await services.settledContents();
    for (const each of services.attacks().filter(isSigned)) {
      for (const key of [null, { id: "local", secret: "local" }, { ...services.accessKey, secret: "local" }]) {
        const answers = await Promise.all(
          services.ports.map(async (port) => {
            const url = `http://127.0.0.1:${port}${each.path}`;
            const { method = "POST", headers = {}, body } = each;
            if (key) return await signedFetch(url, { ...each, accessKey: key });
            return await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
          }),
        );
        expect(answers.filter(({ status }) => status < 400)).toEqual([]);
      }
    }
    const management = new URL(services.connectionPath, services.environment[env.realtimeEndpoint]).href;
    const other = { service: "execute-api", accessKey: { id: "local", secret: "local" } };
    for (const method of ["GET", "POST", "DELETE"]) {
      expect((await fetch(management, { method })).status).toBe(403);
      expect((await signedFetch(management, { ...other, method })).status).toBe(403);
    }
    expect((await signedFetch(management, { ...other, method: "GET", accessKey: services.accessKey })).status).toBe(
      200,
    );
    expect(await services.contents()).toEqual(before);
  });

  it("each port of a running stack answers a control route only with the token of the data folder, and names its file", async () => {
    const token = readFileSync(join(stack.dataDir, "control-token"), "utf8").trim();
    const before = await services.settledContents();
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
        for (const port of services.ports) {
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
    expect(await services.contents()).toEqual(before);
  });
});

it("no command controls a stack that took the ports of a killed one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-killed-"));
  writeFileSync(join(folder, "environment.json"), JSON.stringify(services.environment));
  writeFileSync(join(folder, "local.json"), JSON.stringify({ ...stack.info, control_token: "0".repeat(40) }));
  const before = await services.settledContents();
  for (const args of [
    ["clock", "1h"],
    ["message", "Hi"],
  ]) {
    const { code, errors } = await runAdmin(folder, ...args);
    expect([args, code]).toEqual([args, 1]);
    expect(errors).toMatch(/^No local stack runs with the data folder [^\n]+\n$/);
  }
  rmSync(folder, { recursive: true });
  expect(await services.contents()).toEqual(before);
});

it("the data folder of a running stack is its owner's alone, with every file in it, also those of the engine", () => {
  expect(openPaths(stack.dataDir)).toEqual([]);
  const paths = listPaths(stack.dataDir).map((path) => path.slice(stack.dataDir.length + 1));
  expect(paths).toContain("aws-credentials");
  expect(paths).toContain("control-token");
  expect(paths.some((path) => /^dynamodb\/.*\.(sqlite|db)/.test(path))).toBe(true);
});
