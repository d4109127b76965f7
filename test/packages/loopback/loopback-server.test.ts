import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { listeningSockets } from "#local-aws/access/listening-sockets.ts";
import { openLoopbackServer } from "#loopback/loopback-server.ts";
import { openedOnce } from "../../support/opened.ts";

const calls: string[] = [];
const server = openedOnce(() =>
  openLoopbackServer({
    port: 0,
    origins: ["http://console.example"],
    onRequest(received, response) {
      calls.push(`${received.method} ${received.url}`);
      response.writeHead(200, { "x-answer": "yes" }).end();
    },
    onUpgrade(_received, socket) {
      calls.push("upgrade");
      socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n");
    },
  }),
);

const host = (name: string) => `${name}:${server.port}`;

/** The status and the names of the headers that pages of other origins may read. */
async function answerTo(headers: Record<string, string>, method = "GET"): Promise<[number | undefined, string[]]> {
  const call: ClientRequest = request({ host: "127.0.0.1", port: server.port, method, headers });
  call.end(method === "GET" || method === "OPTIONS" ? undefined : "{}");
  const [answer] = (await once(call, headers.upgrade ? anyAnswer(call) : "response")) as [IncomingMessage];
  answer.resume();
  return [answer.statusCode, Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))];
}

/** A handshake that succeeds is no response. */
function anyAnswer(call: ClientRequest): string {
  call.once("upgrade", (answer) => call.emit("answered", answer));
  call.once("response", (answer) => call.emit("answered", answer));
  return "answered";
}

const handshake = { connection: "upgrade", upgrade: "test" };

it("a port of this machine answers as 127.0.0.1 and localhost with its number, to programs, to its own pages and to those that it lists", async () => {
  for (const name of ["127.0.0.1", "localhost", "LocalHost"]) {
    expect([name, await answerTo({ host: host(name) })]).toEqual([name, [200, []]]);
    const origin = `http://${host(name).toLowerCase()}`;
    expect(await answerTo({ host: host(name), origin }, "POST")).toEqual([200, []]);
  }
  expect(await answerTo({ host: host("localhost"), origin: "http://console.example" }, "POST")).toEqual([200, []]);
  expect(await answerTo({ host: host("localhost"), ...handshake })).toEqual([101, []]);
});

it.each([
  "evil.example",
  "evil.example:PORT",
  "127.0.0.1",
  "localhost",
  "localhost:1",
  "127.0.0.1.evil.example:PORT",
  "localhost.:PORT",
  "127.1:PORT",
  "0.0.0.0:PORT",
  "[::1]:PORT",
])("a port of this machine answers 403 as %j, to requests and handshakes, without reading them", async (name) => {
  const before = calls.length;
  const headers = { host: name.replace("PORT", String(server.port)) };
  for (const method of ["GET", "POST", "OPTIONS"]) expect(await answerTo(headers, method)).toEqual([403, []]);
  expect(await answerTo({ ...headers, ...handshake })).toEqual([403, []]);
  expect(calls).toHaveLength(before);
});

it.each([
  "http://evil.example",
  "null",
  "",
  "http://127.0.0.1",
  "http://localhost:1",
  "https://localhost:PORT",
  "http://localhost:PORT.evil.example",
  "http://evil.example, http://localhost:PORT",
  "file://",
])("a port of this machine answers 403 to a page of %j, also to its preflight and its handshake", async (page) => {
  const before = calls.length;
  const headers = { host: host("localhost"), origin: page.replace("PORT", String(server.port)) };
  const preflight = { ...headers, "access-control-request-method": "POST", "access-control-request-headers": "x-a" };
  for (const method of ["GET", "POST", "PUT"]) expect(await answerTo(headers, method)).toEqual([403, []]);
  expect(await answerTo(preflight, "OPTIONS")).toEqual([403, []]);
  expect(await answerTo({ ...headers, ...handshake })).toEqual([403, []]);
  expect(calls).toHaveLength(before);
});

it("a port of this machine answers no call of another site that names no origin, and what that site shows or links to", async () => {
  const from = (destination: string, site = "cross-site") =>
    answerTo({ host: host("localhost"), "sec-fetch-site": site, "sec-fetch-dest": destination });
  for (const destination of ["empty", "script", "style", "iframe", "object", "worker"]) {
    expect([destination, await from(destination)]).toEqual([destination, [403, []]]);
  }
  // Another port of this machine is another origin of the same site.
  for (const destination of ["empty", "script", "iframe"])
    expect(await from(destination, "same-site")).toEqual([403, []]);
  for (const destination of ["document", "image"]) expect(await from(destination)).toEqual([200, []]);
  for (const site of ["same-origin", "none"]) expect(await from("empty", site)).toEqual([200, []]);
});

it.each([
  ["a second name", "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nHost: evil.example\r\n"],
  ["no name", "GET / HTTP/1.0\r\n"],
  ["an empty name", "GET / HTTP/1.1\r\nHost:\r\n"],
  ["a target with another name", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost:PORT\r\n"],
  ["a second origin", "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: http://localhost:PORT\r\nOrigin: null\r\n"],
])("a port of this machine answers 400 or 403 to %s", async (_name, head) => {
  const socket = connect(server.port, "127.0.0.1");
  socket.end(`${head.replaceAll("PORT", String(server.port))}Connection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 40[03] /);
});

it.runIf(process.platform === "linux")("a port of this machine listens on loopback only", () => {
  const sockets = listeningSockets(process.pid) ?? [];
  expect(sockets.filter(({ port }) => port === server.port)).toEqual([{ address: "127.0.0.1", port: server.port }]);
});
