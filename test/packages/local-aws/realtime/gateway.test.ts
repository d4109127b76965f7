import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MINUTE, SECOND } from "#local-aws/support/time.ts";
import { observeFrame } from "../../../support/conformance/observed.ts";
import { openSocket, refusalOf } from "../../../support/sockets/test-socket.ts";
import { openGatewayFixture } from "./gateway-fixture.ts";

let fixture: Awaited<ReturnType<typeof openGatewayFixture>>;
beforeEach(async () => {
  fixture = await openGatewayFixture();
  fixture.serve();
});
afterEach(() => fixture.gateway.close());

const connectionId = async () => (await fixture.nextEvent("CONNECT")).requestContext.connectionId;

it("a handshake is answered after the function, which gets the query, the headers and the connection as in AWS", async () => {
  await openSocket(`${fixture.url}?ticket=a%2Bb&ticket=c&x=1`, {
    headers: { Origin: "https://console.example.com" },
  });
  const event = await fixture.nextEvent("CONNECT");
  expect(event.multiValueQueryStringParameters).toEqual({ ticket: ["a+b", "c"], x: ["1"] });
  expect(event.queryStringParameters).toEqual({ ticket: "c", x: "1" });
  expect(event.headers).toMatchObject({ Origin: "https://console.example.com", "X-Forwarded-For": "127.0.0.1" });
  expect(event.multiValueHeaders?.Origin).toEqual(["https://console.example.com"]);
  expect(event.isBase64Encoded).toBe(false);
  expect(event.requestContext).toEqual({
    routeKey: "$connect",
    eventType: "CONNECT",
    extendedRequestId: expect.any(String),
    requestTime: "01/Jan/2026:00:00:00 +0000",
    messageDirection: "IN",
    stage: "live",
    connectedAt: fixture.now(),
    requestTimeEpoch: fixture.now(),
    identity: { sourceIp: "127.0.0.1", userAgent: expect.any(String) },
    requestId: expect.any(String),
    domainName: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    connectionId: expect.stringMatching(/^[\w-]{15}=$/),
    apiId: "local",
  });
});

it("a handshake without a query has no parameters, also not empty ones", async () => {
  await openSocket(fixture.url);
  const event = await fixture.nextEvent("CONNECT");
  expect(event).not.toHaveProperty("queryStringParameters");
  expect(event).not.toHaveProperty("multiValueQueryStringParameters");
});

it.each([401, 403, 429, 500, 301])(
  "a handshake is refused with the function's status %i, and no connection is left",
  async (status) => {
    fixture.setAnswer(() => ({ statusCode: status }));
    expect(await refusalOf(openSocket(fixture.url))).toBe(status);
    expect(fixture.gateway.connectionCount()).toBe(0);
    expect(await fixture.post(await connectionId(), "x")).toBe("gone");
  },
);

it.each([
  ["throws", () => Promise.reject(new Error("broken"))],
  ["returns no status", () => ({})],
  ["returns nothing", () => undefined],
  ["returns another status", () => ({ statusCode: 99 })],
])("a handshake is refused with 502 when the function %s", async (_name, answer) => {
  fixture.setAnswer(answer);
  expect(await refusalOf(openSocket(fixture.url))).toBe(502);
});

it("a handshake is refused with 504 when the function does not answer in the route's time", async () => {
  await fixture.gateway.close();
  fixture = await openGatewayFixture(1);
  fixture.serve();
  fixture.setAnswer(() => new Promise(() => {}));
  expect(await refusalOf(openSocket(fixture.url))).toBe(504);
  expect(fixture.reports).toEqual(["Socket $connect: The integration timed out."]);
});

it("a handshake to another path is refused with 403, and a request that is none with 400, both before the function", async () => {
  expect(await refusalOf(openSocket(fixture.url.replace("live", "other")))).toBe(403);
  const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": "short" };
  const invalid = request(fixture.endpoint, { headers: { ...headers, "Sec-WebSocket-Version": "13" } }).end();
  const [response] = (await once(invalid, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(400);
  expect(fixture.events).toEqual([]);
});

it("a handshake before the stack is ready is refused with 503", async () => {
  await fixture.gateway.close();
  fixture = await openGatewayFixture();
  expect(await refusalOf(openSocket(fixture.url))).toBe(503);
});

it("a handshake whose function has not answered is no connection: a post finds it gone", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  fixture.setAnswer(() => promise);
  const opening = openSocket(fixture.url);
  const id = await connectionId();
  expect(await fixture.post(id, "too early")).toBe("gone");
  resolve({ statusCode: 200 });
  const socket = await opening;
  expect(await fixture.post(id, "hello")).toBe("sent");
  expect(await socket.next()).toBe("hello");
  expect(socket.messages).toEqual(["hello"]);
});

it("a message of a client is an event with its text, also if that is no JSON", async () => {
  const socket = await openSocket(fixture.url);
  const id = await connectionId();
  for (const text of ["", "no json", '{"type":"ping"}', "é\u0000✓", '{"action":"$connect"}']) {
    socket.send(text);
    const event = await fixture.nextEvent("MESSAGE");
    expect([event.body, event.isBase64Encoded]).toEqual([text, false]);
    expect(event.requestContext).toMatchObject({ routeKey: "$default", connectionId: id });
  }
});

it("a message of a client may have 128 KB in frames of 32 KB, which are joined", async () => {
  const socket = await openSocket(fixture.url);
  const frame = "x".repeat(32 * 1024);
  socket.send(frame, [frame, frame, frame]);
  expect((await fixture.nextEvent("MESSAGE")).body).toBe(frame.repeat(4));
  // In the same chunk as other frames, and in chunks of its own.
  for (const text of ["a", frame, "b"]) socket.send(text);
  for (const text of ["a", frame, "b"]) expect((await fixture.nextEvent("MESSAGE")).body).toBe(text);
});

it.each([
  ["a frame over 32 KB", ["x".repeat(32 * 1024 + 1)]],
  ["a frame of 200 KB", ["x".repeat(200 * 1024)]],
  ["a later frame over 32 KB", ["x", "x".repeat(40_000)]],
  ["frames over 128 KB together", [...Array<string>(4).fill("x".repeat(32 * 1024)), "x"]],
])(
  "a message of a client with %s closes the connection with 1009, and the function does not get it",
  async (_name, [first = "", ...more]) => {
    const socket = await openSocket(fixture.url);
    socket.send(first, more);
    expect((await socket.ended).code).toBe(1009);
    expect((await fixture.nextEvent("DISCONNECT")).requestContext.disconnectStatusCode).toBe(1009);
    expect(fixture.events.map(({ requestContext }) => requestContext.eventType)).toEqual(["CONNECT", "DISCONNECT"]);
  },
);

it("a message of a client that is binary closes the connection with 1003, and the function does not get it", async () => {
  const socket = await openSocket(fixture.url);
  socket.sendBinary(new Uint8Array([0, 255]));
  expect((await socket.ended).code).toBe(1003);
  expect(fixture.events.map(({ requestContext }) => requestContext.eventType)).toEqual(["CONNECT", "DISCONNECT"]);
});

it("a message of a client that the function fails on is answered with the gateway's own message", async () => {
  const socket = await openSocket(fixture.url);
  fixture.setAnswer(() => Promise.reject(new Error("broken")));
  socket.send("x");
  const { requestContext } = await fixture.nextEvent("MESSAGE");
  const text = await socket.next();
  observeFrame("gateway", text);
  expect(JSON.parse(text)).toEqual({
    message: "Internal server error",
    connectionId: requestContext.connectionId,
    requestId: requestContext.requestId,
  });
});

it.each([
  ["the client's", 1000, "done"],
  ["the client's, with a status of its own", 4001, ""],
])("%s: $disconnect comes once, with the status %i", async (_name, code, reason) => {
  const socket = await openSocket(fixture.url);
  const id = await connectionId();
  socket.close(code, reason);
  const { requestContext, isBase64Encoded } = await fixture.nextEvent("DISCONNECT");
  expect(requestContext).toMatchObject({
    routeKey: "$disconnect",
    connectionId: id,
    connectedAt: fixture.now(),
    disconnectStatusCode: code,
    disconnectReason: reason,
  });
  expect(isBase64Encoded).toBe(false);
  expect(fixture.gateway.connectionCount()).toBe(0);
  expect(await fixture.post(id, "x")).toBe("gone");
});

it("the end of a connection without a word: $disconnect comes once, with 1006", async () => {
  const socket = await openSocket(fixture.url);
  socket.terminate();
  expect((await fixture.nextEvent("DISCONNECT")).requestContext.disconnectStatusCode).toBe(1006);
});

it("the end of a connection when its function fails: nothing comes again", async () => {
  const socket = await openSocket(fixture.url);
  fixture.setAnswer(() => Promise.reject(new Error("broken")));
  socket.terminate();
  await fixture.nextEvent("DISCONNECT");
  await openSocket(fixture.url).catch(() => {});
  expect(fixture.events.map(({ requestContext }) => requestContext.eventType)).toEqual([
    "CONNECT",
    "DISCONNECT",
    "CONNECT",
  ]);
});

it("a connection ends after 10 minutes without a message; a message in either direction starts them again, a ping does not", async () => {
  const [reading, writing, silent] = [
    await openSocket(fixture.url),
    await openSocket(fixture.url),
    await openSocket(fixture.url),
  ];
  const readingId = await connectionId();
  fixture.advance(10 * MINUTE - SECOND);
  await fixture.post(readingId, "x");
  writing.send("x");
  await fixture.nextEvent("MESSAGE");
  await silent.ping();
  fixture.advance(SECOND);
  expect(await silent.ended).toEqual({ code: 1001, reason: "Going away" });
  expect((await fixture.nextEvent("DISCONNECT")).requestContext).toMatchObject({
    disconnectStatusCode: 1001,
    disconnectReason: "Going away",
  });
  expect(fixture.gateway.connectionCount()).toBe(2);
  fixture.advance(10 * MINUTE - SECOND);
  await Promise.all([reading.ended, writing.ended]);
});

it("a connection ends after two hours, however busy it is", async () => {
  const socket = await openSocket(fixture.url);
  const id = await connectionId();
  for (let minutes = 0; minutes < 119; minutes += 7) {
    fixture.advance(7 * MINUTE);
    expect(await fixture.post(id, "x")).toBe("sent");
  }
  fixture.advance(MINUTE - 1);
  expect(fixture.gateway.connectionCount()).toBe(1);
  fixture.advance(1);
  expect((await socket.ended).code).toBe(1001);
});

it("the end of a connection with the gateway: the clients are cut, and no function runs", async () => {
  const socket = await openSocket(fixture.url);
  await fixture.gateway.close();
  expect((await socket.ended).code).toBe(1006);
  expect(fixture.events.map(({ requestContext }) => requestContext.eventType)).toEqual(["CONNECT"]);
});
