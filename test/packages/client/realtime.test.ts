import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Parley, type ParleyError, type RealtimeConnection, type RealtimeOptions, type StreamEvent } from "#client";
import { RecentIds } from "../../../packages/client/src/realtime/recent-ids.ts";
import { observeFrame } from "../../support/conformance/observed.ts";
import { openedEach } from "../../support/opened.ts";
import { fail, hang, text } from "./support/scripted-server.ts";
import { eventFrame, helloFrame, startStreamServer } from "./support/stream-server.ts";
import { TestClock } from "./support/test-clock.ts";

const PING_INTERVAL = 240_000;
const RENEWAL = 7_200_000 * 0.85;
let clock: TestClock;
let parley: Parley;
let connection: RealtimeConnection | undefined;
/** What the callbacks were called with, in order. */
let reports: string[];
let closings: (ParleyError | null)[];

const server = openedEach(startStreamServer);
beforeEach(async () => {
  clock = new TestClock();
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 0 });
  reports = [];
  closings = [];
});
afterEach(async () => {
  connection?.close();
  await server[Symbol.asyncDispose]();
});

function connect(options: Partial<RealtimeOptions> = {}, client = parley): RealtimeConnection {
  connection = client.connect({
    onEvent: ({ type, id }: StreamEvent) => reports.push(`${type} ${id}`),
    onHello: ({ connection_id }) => reports.push(`hello ${connection_id}`),
    onError: ({ code, status }) => reports.push(`error ${code} ${status}`),
    onClose: (error) => closings.push(error),
    ...options,
  });
  return connection;
}

const poll = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 5_000 });
const reported = (...expected: string[]) => poll(() => reports).toEqual(expected);
const accepted = (count: number) => poll(() => server.sockets.length).toBe(count);
/** Waits for a timer, then turns the clock to it. */
async function passTime(ms: number): Promise<void> {
  await poll(() => clock.pending).toContain(ms);
  clock.advance(ms);
}

async function open(options: Partial<RealtimeOptions> = {}, client = parley): Promise<RealtimeConnection> {
  const opened = connect(options, client);
  await accepted(1);
  server.sockets[0]?.send(helloFrame());
  await reported("hello c1");
  return opened;
}

describe.each<[string, Partial<RealtimeOptions>]>([
  ["the WebSocket of the runtime", {}],
  ["the WebSocket of the package ws", { WebSocket }],
])("with %s", (_, options) => {
  test("the client gets a ticket, connects, and reports hello and each event once", async () => {
    const opened = connect(options);
    expect(opened.isOpen).toBe(false);
    await accepted(1);
    const [socket] = server.sockets;
    for (const frame of [helloFrame(), eventFrame("evt_1"), eventFrame("evt_2"), eventFrame("evt_1")])
      socket?.send(frame);
    // The id of a change may be that of the event that caused it.
    socket?.send(eventFrame("evt_1", "conversation.updated"));
    socket?.send(eventFrame("evt_3", "message.translated"));
    await reported(
      "hello c1",
      "message.received evt_1",
      "message.received evt_2",
      "conversation.updated evt_1",
      "message.translated evt_3",
    );
    expect(opened.isOpen).toBe(true);
    expect(server.ticketRequests.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /v1/realtime/ticket"]);
    expect(server.ticketRequests[0]?.headers.authorization).toBe("Bearer svc_live_k");
    expect(server.handshakes).toEqual(["wst_1"]);
    opened.close();
    await poll(() => socket?.readyState).toBe(WebSocket.CLOSED);
    expect(closings).toEqual([null]);
  });

  test("the client reconnects with another ticket after a connection was lost, and drops what it reported before", async () => {
    await open(options);
    server.sockets[0]?.send(eventFrame("evt_1"));
    await reported("hello c1", "message.received evt_1");
    clock.advance(120_000);
    server.sockets[0]?.terminate();
    await passTime(500);
    await accepted(2);
    for (const frame of [helloFrame("c2"), eventFrame("evt_1"), eventFrame("evt_2")]) server.sockets[1]?.send(frame);
    await reported("hello c1", "message.received evt_1", "hello c2", "message.received evt_2");
    expect(server.handshakes).toEqual(["wst_1", "wst_2"]);
  });

  test("the client waits longer after each refused handshake", async () => {
    server.handshakeStatus = 429;
    connect(options);
    const waits = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
    for (const [index, waitMs] of waits.entries()) {
      await poll(() => reports.length).toBe(index + 1);
      await poll(() => clock.pending).toEqual([waitMs]);
      if (index === waits.length - 1) server.handshakeStatus = 101;
      clock.advance(waitMs);
    }
    expect(new Set(reports)).toEqual(new Set(["error connection_failed null"]));
    await accepted(1);
    expect(server.handshakes).toHaveLength(10);
    expect(new Set(server.handshakes).size).toBe(10);
  });
});

test("frames that are no JSON, no object or binary, and failures of the gateway, are ignored", async () => {
  await open();
  const [socket] = server.sockets;
  for (const frame of ["", "{", "null", "[]", "1", '"x"', '{"type":1}', '{"type":"x"}', '{"type":"x","id":7}'])
    socket?.send(frame);
  socket?.send(Buffer.from(eventFrame("evt_9")));
  socket?.send('{"type":"pong"}');
  const failure = '{"message":"Internal server error","connectionId":"c1","requestId":"r1"}';
  observeFrame("gateway", failure);
  socket?.send(failure);
  socket?.send(eventFrame("evt_1"));
  await reported("hello c1", "message.received evt_1");
});

test("a message and its conversation of one frame are reported as two events, and each of them once", async () => {
  const events: StreamEvent[] = [];
  await open({ onEvent: (event) => events.push(event) });
  expect(server.includes).toEqual(["conversation"]);
  const [message, conversation] = [{ id: "m_1" }, { id: "CONV#1" }];
  const frames = [
    eventFrame("evt_1", "message.received", { message, conversation }),
    eventFrame("evt_1", "message.received", { message, conversation }),
    eventFrame("evt_2", "message.sent", { message, conversation: null }),
    eventFrame("evt_3", "message.sent", null),
    eventFrame("evt_4", "message.translated", { message, conversation }),
  ];
  for (const frame of frames) server.sockets[0]?.send(frame);
  await poll(() => events.at(-1)?.id).toBe("evt_4");
  expect(events.map(({ id, type, data }) => [id, type, data])).toEqual([
    ["evt_1", "message.received", { message }],
    ["evt_1", "conversation.updated", { conversation }],
    ["evt_2", "message.sent", { message, conversation: null }],
    ["evt_3", "message.sent", null],
    ["evt_4", "message.translated", { message, conversation }],
  ]);
});

test("a session gets its ticket from the console, with the CSRF token and the tenant", async () => {
  const session = new Parley({ baseUrl: server.url, csrfToken: "token-1", clock, random: () => 0 });
  await open({ tenant: "demo" }, session);
  expect(server.ticketRequests[0]?.url).toBe("/console/session/ws-ticket?tenant=demo");
  expect(server.ticketRequests[0]?.headers).toMatchObject({ "x-csrf-token": "token-1" });
});

test("the tenant of an operator's client is named, and the tenant of the stream goes first", async () => {
  const operator = new Parley({ baseUrl: server.url, apiKey: "k", tenant: "first", clock, random: () => 0 });
  await open({}, operator);
  connect({ tenant: "second" }, operator);
  await accepted(2);
  expect(server.ticketRequests.map(({ url }) => url.split("?")[1])).toEqual(["tenant=first", "tenant=second"]);
});

test("a ping is sent every four minutes, and its pong keeps the connection", async () => {
  await open();
  for (const count of [1, 2, 3]) {
    await passTime(PING_INTERVAL);
    await poll(() => server.frames).toHaveLength(count);
    server.sockets[0]?.send('{"type":"pong"}');
    await poll(() => clock.pending).not.toContain(30_000);
  }
  expect(new Set(server.frames)).toEqual(new Set(['{"type":"ping"}']));
  expect(server.sockets).toHaveLength(1);
});

test("a ping is not sent before hello", async () => {
  connect({ pingIntervalMs: 10_000 });
  await accepted(1);
  for (const waitMs of [9_000, 11_000]) clock.advance(waitMs);
  server.sockets[0]?.send(helloFrame());
  await reported("hello c1");
  expect(server.frames).toEqual([]);
  await passTime(10_000);
  await poll(() => server.frames).toEqual(['{"type":"ping"}']);
});

test("a ping without any frame in 30 seconds ends the connection, and another one follows", async () => {
  await open();
  await passTime(PING_INTERVAL);
  await passTime(30_000);
  await passTime(500);
  await accepted(2);
  expect(closings).toEqual([]);
});

test("a connection without hello ends after 30 seconds", async () => {
  connect();
  await accepted(1);
  await passTime(30_000);
  await reported("error connection_failed null");
  await passTime(500);
  await accepted(2);
});

test("connections that are lost at once are opened again after longer and longer waits", async () => {
  connect();
  for (const [index, waitMs] of [500, 1_000, 2_000, 4_000].entries()) {
    await accepted(index + 1);
    server.sockets[index]?.send(helloFrame(`c${index}`));
    await poll(() => reports).toContain(`hello c${index}`);
    server.sockets[index]?.terminate();
    await passTime(waitMs);
  }
  await accepted(5);
});

const withoutPings = { pingIntervalMs: 100_000_000 };

test("a renewal opens the next connection before it closes the first one, and reports each event of both once", async () => {
  await open(withoutPings);
  const [first] = server.sockets;
  await passTime(RENEWAL);
  await accepted(2);
  const second = server.sockets[1];
  first?.send(eventFrame("evt_1"));
  await reported("hello c1", "message.received evt_1");
  second?.send(eventFrame("evt_1"));
  second?.send(helloFrame("c2"));
  await reported("hello c1", "message.received evt_1", "hello c2");
  await poll(() => first?.readyState).toBe(WebSocket.CLOSED);
  second?.send(eventFrame("evt_2"));
  await reported("hello c1", "message.received evt_1", "hello c2", "message.received evt_2");
  expect(server.handshakes).toEqual(["wst_1", "wst_2"]);
  await passTime(RENEWAL);
  await accepted(3);
});

test("a renewal that fails is repeated, and the first connection goes on", async () => {
  const opened = await open(withoutPings);
  server.playTickets(text(503, ""));
  await passTime(RENEWAL);
  await reported("hello c1", "error unexpected_response 503");
  server.sockets[0]?.send(eventFrame("evt_1"));
  await reported("hello c1", "error unexpected_response 503", "message.received evt_1");
  expect(opened.isOpen).toBe(true);
  server.playTickets();
  await passTime(500);
  await accepted(2);
});

test("a renewal starts at different times in different clients", async () => {
  await open(withoutPings, new Parley({ baseUrl: server.url, apiKey: "k", clock, random: () => 1 }));
  await passTime(7_200_000 * 0.95);
  await accepted(2);
});

test("a renewal of a life that is over at once is not repeated in a loop", async () => {
  connect(withoutPings);
  await accepted(1);
  const expired = { type: "hello", connection_id: "c1", server_time: 2_000, expires_at: 1_000 };
  server.sockets[0]?.send(JSON.stringify(expired));
  await passTime(10_000);
  await accepted(2);
});

describe("a refused ticket", () => {
  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [400, "tenant_required"],
  ])("%i ends the stream", async (status, code) => {
    server.playTickets(fail(status, { code }));
    connect();
    await poll(() => closings).toMatchObject([{ name: "ParleyError", code, status }]);
    expect(clock.pending).toEqual([]);
    expect(server.ticketRequests).toHaveLength(1);
  });

  test("429 waits as long as the response asks, 5xx and a page of a proxy as long as usual", async () => {
    server.playTickets(text(429, "", { "retry-after": "20" }), text(500, ""), text(200, "<html>"), text(502, ""));
    connect();
    await passTime(20_500);
    await passTime(1_000);
    await passTime(2_000);
    await reported(
      "error rate_limited 429",
      "error unexpected_response 500",
      "error unexpected_response 200",
      "error unexpected_response 502",
    );
    expect(closings).toEqual([]);
  });

  test("a refused ticket after the person was removed ends the stream at the next reconnect", async () => {
    await open();
    server.playTickets(fail(403, { code: "forbidden" }));
    clock.advance(60_000);
    server.sockets[0]?.close();
    await passTime(500);
    await poll(() => closings).toMatchObject([{ code: "forbidden" }]);
    expect(connection?.isOpen).toBe(false);
  });
});

describe("a closed stream", () => {
  const cases: [string, () => Promise<void>][] = [
    [
      "while it gets a ticket",
      async () => {
        server.playTickets(hang);
        connect();
        await poll(() => server.ticketRequests).toHaveLength(1);
      },
    ],
    [
      "before hello",
      async () => {
        connect();
        await accepted(1);
      },
    ],
    [
      "while it stands",
      async () => {
        await open();
      },
    ],
    [
      "while it waits",
      async () => {
        server.handshakeStatus = 401;
        connect();
        await poll(() => clock.pending).toEqual([500]);
      },
    ],
  ];
  test.each(cases)("%s has no timer, no socket and no further report", async (_, prepare) => {
    await prepare();
    connection?.close();
    const count = reports.length;
    for (const socket of server.sockets) socket.send(eventFrame("evt_late"));
    await poll(() => closings).toEqual([null]);
    await poll(() => server.sockets.every(({ readyState }) => readyState === WebSocket.CLOSED)).toBe(true);
    expect(clock.pending).toEqual([]);
    expect(reports).toHaveLength(count);
    connection?.close();
    expect(closings).toHaveLength(1);
  });

  test("a closed stream is closed by a signal, also by one that was aborted before", async () => {
    const controller = new AbortController();
    await open({ signal: controller.signal });
    controller.abort();
    await poll(() => closings).toEqual([null]);
    connect({ signal: AbortSignal.abort() });
    await poll(() => closings).toEqual([null, null]);
    expect(clock.pending).toEqual([]);
  });
});

test("a runtime without a WebSocket needs one", () => {
  const { WebSocket: global } = globalThis;
  Reflect.deleteProperty(globalThis, "WebSocket");
  try {
    expect(() => parley.connect({ onEvent: () => undefined })).toThrow("Missing WebSocket.");
  } finally {
    globalThis.WebSocket = global;
  }
});

test("the memory of ids is bounded", () => {
  const ids = new RecentIds();
  for (let index = 0; index < 10_000; index++) expect(ids.add(`evt_${index}`)).toBe(true);
  expect(ids.add("evt_9999")).toBe(false);
  expect(ids.add("evt_5904")).toBe(false);
  expect(ids.add("evt_5903")).toBe(true);
});
