import { existsSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findDynoxide } from "#local-aws/dynamodb/programs.ts";
import { openGateway } from "#local-aws/gateway/gateway.ts";
import { handleLocalRequest, type LocalControls } from "#local-aws/gateway/local-routes.ts";
import type { Route } from "#local-aws/gateway/routes.ts";
import { FunctionFailed } from "#local-aws/lambda/sandbox.ts";
import { type LocalAws, startLocalAws } from "#local-aws/local-aws.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { controlHeaders, testControlToken } from "../../../support/access/control-token.ts";
import {
  httpApiResources,
  lambdaResource,
  newTempFolder,
  writeAssembly,
} from "../../../support/assemblies/assemblies.ts";

const ECHO_HANDLER = `export const handler = async (event) => ({
  statusCode: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(event) });`;
const ODD_HANDLER = `import { writeFileSync } from "node:fs";
export const handler = async (event) => {
  switch (event.queryStringParameters?.case) {
    case "throw": throw new Error("no");
    case "hang": return await new Promise((resolve) => setTimeout(resolve, 60_000));
    case "late":
      await new Promise((resolve) => setTimeout(resolve, 300));
      return writeFileSync(event.queryStringParameters.file, "");
    case "binary": return { statusCode: 201, isBase64Encoded: true, body: Buffer.from([0, 255]).toString("base64"),
      headers: { "Content-Type": "image/x" }, cookies: ["a=1; Path=/", "b=2"] };
    case "plain": return { hello: "there" };
    case "status": return { statusCode: 99 };
    case "body": return { statusCode: 200, body: { not: "text" } };
    case "header": return { statusCode: 200, headers: { "x-odd": "a\\nb" } };
    case "large": return { statusCode: 200, body: "x".repeat(6 * 2 ** 20 + 1) };
  }
};`;

const folder = newTempFolder();
let stack: LocalAws;
beforeAll(async () => {
  const resources = {
    Echo: lambdaResource("echo"),
    Odd: lambdaResource("odd", { Timeout: 1 }),
    Slow: lambdaResource("odd", { Timeout: 2 }),
    ...httpApiResources({
      $default: "Echo",
      "GET /odd": "Odd",
      "GET /slow": "Slow",
      "ANY /things/{id}": "Echo",
      "GET /things/{id}": "Echo",
      "GET /things/fixed": "Echo",
      "GET /files/{rest+}": "Echo",
    }),
  };
  for (const { Type, Properties = {} } of Object.values(resources)) {
    if (Type !== "AWS::ApiGatewayV2::Integration") continue;
    if (JSON.stringify(Properties.IntegrationUri).includes("Slow")) Object.assign(Properties, { TimeoutInMillis: 100 });
  }
  stack = await startLocalAws({
    assembly: writeAssembly(folder.path, resources, { echo: ECHO_HANDLER, odd: ODD_HANDLER }),
    dataDir: join(folder.path, "data"),
    engine: { mayBeExposed: findDynoxide() === null },
    report: () => {},
  });
});
afterAll(async () => {
  await stack.close();
  folder.remove();
});

interface Event {
  routeKey: string;
  rawPath: string;
  rawQueryString: string;
  cookies?: string[];
  headers: Record<string, string>;
  queryStringParameters?: Record<string, string>;
  pathParameters?: Record<string, string>;
  body?: string;
  isBase64Encoded: boolean;
  requestContext: { http: Record<string, string>; timeEpoch: number; time: string };
}

async function send(path: string, init: RequestInit = {}): Promise<Event> {
  const response = await fetch(stack.url + path, init);
  expect(response.status).toBe(200);
  return (await response.json()) as Event;
}

/** The response to a request line that Node.js does not send. */
async function sendRequestLine(line: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${line}\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { head, body };
}

/** The status of a request whose target is sent unchanged. */
function requestStatus(target: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(stack.url);
    const sent = request({ hostname, port, path: target, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

it.each([
  ["/a%23b", "/a#b"],
  ["/a%2523b", "/a%23b"],
  ["/a%2Fb", "/a/b"],
  ["/a%20b+c", "/a b+c"],
  ["/caf%C3%A9", "/café"],
  ["/", "/"],
])("the path a function sees of %s is decoded once: %s", async (sent, decoded) => {
  const event = await send(sent);
  expect(event.rawPath).toBe(decoded);
  expect(event.requestContext.http.path).toBe(decoded);
});

it.each(["/%zz", "/%", "/%ff"])("the path a function sees cannot be %s: 400", async (target) => {
  expect(await requestStatus(target)).toBe(400);
});

it.each([
  ["GET", "/things/7", "GET /things/{id}", { id: "7" }],
  ["GET", "/things/fixed", "GET /things/fixed", undefined],
  ["POST", "/things/fixed", "ANY /things/{id}", { id: "fixed" }],
  ["GET", "/things/a%2Fb%23", "GET /things/{id}", { id: "a/b#" }],
  ["GET", "/things/7/more", "$default", undefined],
  ["GET", "/things/", "$default", undefined],
  ["GET", "/files/a/b%20c", "GET /files/{rest+}", { rest: "a/b c" }],
  ["POST", "/files/a", "$default", undefined],
  ["GET", "/elsewhere", "$default", undefined],
])("a route for %s %s is %s", async (method, path, key, parameters) => {
  const event = await send(path, { method });
  expect(event.routeKey).toBe(key);
  expect(event.pathParameters).toEqual(parameters);
});

it.each(["TRACE", "PROPFIND"])("%s reaches the function", async (method) => {
  const { head, body } = await sendRequestLine(`${method} /things/7 HTTP/1.1`);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(body).toContain(`"method":"${method}"`);
});

it.each(["BREW /things/7 HTTP/1.1", "get /things/7 HTTP/1.1", "CONNECT things:7 HTTP/1.1"])(
  "a method of %j is 405 with Allow",
  async (line) => {
    const { head, body } = await sendRequestLine(line);
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(head).toMatch(/\r\nallow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT(\r\n|$)/);
    expect(head).toMatch(/\r\nx-correlation-id: \S+/);
    expect(JSON.parse(body)).toEqual({ message: "Method Not Allowed" });
  },
);

it("a method may not be missing: what is no HTTP is 400", async () => {
  expect((await sendRequestLine("\u0016\u0003\u0001")).head).toMatch(/^HTTP\/1\.1 400 /);
});

it("an event has query, headers and cookies in the format of an HTTP API", async () => {
  const event = await send("/x?a=1&b=%20y&a=2&empty=", {
    headers: { cookie: "one=1; two=2", "X-Custom": "Value", "x-forwarded-for": "203.0.113.9" },
  });
  expect(event.rawQueryString).toBe("a=1&b=%20y&a=2&empty=");
  expect(event.queryStringParameters).toEqual({ a: "1,2", b: " y", empty: "" });
  expect(event.cookies).toEqual(["one=1", "two=2"]);
  expect(event.headers).toMatchObject({ "x-custom": "Value", "x-forwarded-for": "203.0.113.9, 127.0.0.1" });
  expect(event.headers).not.toHaveProperty("cookie");
  expect(event.requestContext.http).toMatchObject({ method: "GET", sourceIp: "127.0.0.1", protocol: "HTTP/1.1" });
});

it("an event omits what the request does not have", async () => {
  const event = await send("/x");
  expect(event).not.toHaveProperty("queryStringParameters");
  expect(event).not.toHaveProperty("cookies");
  expect(event).not.toHaveProperty("body");
  expect(event.isBase64Encoded).toBe(false);
});

it.each([
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
])("an event has a body of %s as text", async (type) => {
  const event = await send("/x", { method: "POST", headers: { "content-type": type }, body: '{"é":1}' });
  expect(event).toMatchObject({ body: '{"é":1}', isBase64Encoded: false });
});

it.each(["application/octet-stream", "image/png", "application/jsonish", "multipart/form-data; boundary=x"])(
  "an event has a body of %s in base64",
  async (type) => {
    const body = Buffer.from([0, 255, 10]);
    const event = await send("/x", { method: "POST", headers: { "content-type": type }, body });
    expect(event).toMatchObject({ body: body.toString("base64"), isBase64Encoded: true });
  },
);

it("an event has a body without a type in base64", async () => {
  const event = await send("/x", { method: "POST", body: Buffer.from("plain") });
  expect(event).toMatchObject({ body: Buffer.from("plain").toString("base64"), isBase64Encoded: true });
});

describe("sizes", () => {
  const post = async (size: number, type: string): Promise<number> => {
    const body = Buffer.alloc(size, "x");
    return (await fetch(`${stack.url}/odd-size`, { method: "POST", headers: { "content-type": type }, body })).status;
  };
  it("a request is rejected with a body over the limit of an HTTP API", async () => {
    expect(await post(10 * 2 ** 20 + 1, "text/plain")).toBe(413);
  });
  it("a request is rejected with a body that exceeds the invocation limit in base64", async () => {
    expect(await post(5 * 2 ** 20, "application/octet-stream")).toBe(413);
  });
  it("a request is rejected with headers of more than 10 KB", async () => {
    expect(await requestStatus("/x", { "x-long": "x".repeat(9_000) })).toBe(200);
    expect(await requestStatus("/x", { "x-long": "x".repeat(10_240) })).toBe(431);
  });
});

const ask = (name: string): Promise<Response> => fetch(`${stack.url}/odd?case=${name}`);

it("a response is sent with status, headers, cookies and bytes", async () => {
  const response = await ask("binary");
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("image/x");
  expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 255]));
});

it("a response has the date of the stack's clock", async () => {
  const before = Date.parse((await fetch(`${stack.url}/odd?case=plain`)).headers.get("date") ?? "");
  await stack.advanceClock(3_600_000);
  const after = Date.parse((await fetch(`${stack.url}/odd?case=plain`)).headers.get("date") ?? "");
  expect(after - before).toBeGreaterThanOrEqual(3_600_000);
});

it("a response without a status is JSON with 200", async () => {
  const response = await ask("plain");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ hello: "there" });
});

it.each(["throw", "status", "body", "header", "large", "hang"])(
  "a response that fails (%s) is the gateway's 500",
  async (name) => {
    const response = await ask(name);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: "Internal Server Error" });
    expect((await ask("plain")).status).toBe(200);
  },
);

it("the gateway answers 503 after the timeout of its integration", async () => {
  const response = await fetch(`${stack.url}/slow?case=hang`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ message: "Service Unavailable" });
});

it("the edge rejects the configured number of requests without a body, and then none", async () => {
  const faults = (body: string) =>
    fetch(`${stack.url}/_local/faults`, {
      method: "POST",
      headers: controlHeaders(stack.controlToken.value),
      body,
    });
  expect((await faults('{"edge_429":2}')).status).toBe(200);
  for (let at = 0; at < 2; at++) {
    const response = await fetch(`${stack.url}/x`);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({ message: "Too Many Requests" });
    expect(response.headers.has("x-correlation-id")).toBe(false);
  }
  expect((await fetch(`${stack.url}/x`)).status).toBe(200);
  for (const bad of [
    '{"connections":"x"}',
    '{"edge_429":1,"connections":3}',
    '{"edge_429":-1}',
    '{"edge_429":"2"}',
    "{}",
    "x",
  ])
    expect((await faults(bad)).status).toBe(400);
  expect((await fetch(`${stack.url}/x`)).status).toBe(200);
});

it("a port in use is named in the error", async () => {
  const port = Number(new URL(stack.url).port);
  await expect(openGateway(port)).rejects.toThrow(LocalRefusal);
  await expect(openGateway(port)).rejects.toThrow(`Port ${port} is in use`);
});

it("a port lets the function run to its end after that 503", async () => {
  const file = join(folder.path, "late");
  const response = await fetch(`${stack.url}/slow?case=late&file=${file}`);
  expect(response.status).toBe(503);
  expect(existsSync(file)).toBe(false);
  await expect.poll(() => existsSync(file)).toBe(true);
});

it("a port answers pages of origins that it lists, lets only them read what a function lets all read, and not control it", async () => {
  const origin = "http://localhost:3000";
  const gateway = await openGateway(0, [origin]);
  const anyone = { statusCode: 200, headers: { "Access-Control-Allow-Origin": "*" } };
  gateway.serve({
    routes: [{ key: "$default", functionId: "Api", timeoutMs: 1_000 } as Route],
    functions: { invoke: async () => anyone },
    now: Date.now,
    report: () => {},
    handleLocal: (local, response) => handleLocalRequest({ token: testControlToken } as LocalControls, local, response),
    shouldRefuseAtEdge: () => false,
  });
  const read = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(gateway.url + path, { headers });
    return [answer.status, answer.headers.get("access-control-allow-origin")];
  };
  expect(await read("/x", { origin })).toEqual([200, origin]);
  expect(await read("/x", { origin: gateway.url })).toEqual([200, gateway.url]);
  expect(await read("/x", {})).toEqual([200, null]);
  expect(await read("/x", { origin: "http://localhost:3001" })).toEqual([403, null]);
  expect(await read("/_local/other", { ...controlHeaders(), origin })).toEqual([403, null]);
  expect(await read("/_local/other", { ...controlHeaders(), origin: gateway.url })).toEqual([404, null]);
  await gateway.close();
});

it("a port answers 503, as an HTTP API does, when the account has no place for an invocation", async () => {
  const gateway = await openGateway(0);
  const failures = ["throttled", "died"] as const;
  let next = 0;
  gateway.serve({
    routes: [{ key: "$default", functionId: "Api", timeoutMs: 1_000 } as Route],
    functions: {
      invoke: async () => {
        throw new FunctionFailed(failures[next++] ?? "died", "no");
      },
    },
    now: Date.now,
    report: () => {},
    handleLocal: async () => {},
    shouldRefuseAtEdge: () => false,
  });
  const read = async () => {
    const answer = await fetch(gateway.url);
    return [answer.status, await answer.text()];
  };
  expect(await read()).toEqual([503, '{"message":"Service Unavailable"}']);
  expect(await read()).toEqual([500, '{"message":"Internal Server Error"}']);
  await gateway.close();
});

it("a port answers 401 to a call of a control route without the token of the data folder, and calls no control", async () => {
  for (const path of ["/_local/clock", "/_local/mail", "/_local/faults", "/_local/other", "/%5Flocal/mail"]) {
    for (const headers of [{}, controlHeaders("svc_live_other"), controlHeaders("0".repeat(40))]) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
        const body = method === "POST" ? '{"advance":"PT1H","edge_429":1000}' : null;
        const response = await fetch(stack.url + path, { method, headers, body });
        expect([path, method, response.status]).toEqual([path, method, 401]);
        expect(response.headers.get("www-authenticate")).toBe("Bearer");
        expect(await response.text()).toContain("It is in control-token in the data folder.");
      }
    }
  }
  expect((await fetch(`${stack.url}/x`)).status).toBe(200);
});

it("a port answers 503 until the stack is up", async () => {
  const gateway = await openGateway(0);
  const response = await fetch(gateway.url);
  await gateway.close();
  expect(response.status).toBe(503);
});
