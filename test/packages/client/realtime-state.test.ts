import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Parley, type RealtimeConnection, type RealtimeOptions, type WebSocketLike } from "#client";
import { openedEach } from "../../support/opened.ts";
import { fail, text } from "./support/scripted-server.ts";
import { eventFrame, helloFrame, startStreamServer } from "./support/stream-server.ts";
import { TestClock } from "./support/test-clock.ts";

// What a page shows of the stream and sends on it: its state, frames, and the check after a device slept.

const CHECK_TIMEOUT = 3_000;
const RENEWAL = 7_200_000 * 0.85;
const PING = '{"type":"ping"}';
let clock: TestClock;
let parley: Parley;
let connection: RealtimeConnection | undefined;
/** What the callbacks were called with, in order. */
let reports: string[];

const server = openedEach(startStreamServer);
beforeEach(() => {
  clock = new TestClock();
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 0 });
  reports = [];
});
afterEach(async () => {
  connection?.close();
  await server[Symbol.asyncDispose]();
});

const poll = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 5_000 });
const reported = (...expected: string[]) => poll(() => reports).toEqual(expected);
const accepted = (count: number) => poll(() => server.sockets.length).toBe(count);
/** Waits for a timer, then turns the clock to it. */
async function passTime(ms: number): Promise<void> {
  await poll(() => clock.pending).toContain(ms);
  clock.advance(ms);
}

function connect(options: Partial<RealtimeOptions> = {}): RealtimeConnection {
  connection = parley.connect({
    onEvent: ({ id }) => reports.push(id),
    onHello: ({ connection_id }) => reports.push(`hello ${connection_id}`),
    onState: (state) => reports.push(state),
    onError: ({ code }) => reports.push(`error ${code}`),
    onClose: (error) => reports.push(`end ${error?.code ?? null}`),
    // Times other than that of a check are not of interest here.
    pingIntervalMs: 100_000_000,
    ...options,
  });
  return connection;
}

async function open(options: Partial<RealtimeOptions> = {}): Promise<RealtimeConnection> {
  const opened = connect(options);
  await accepted(1);
  expect(opened.state).toBe("connecting");
  server.sockets[0]?.send(helloFrame());
  await reported("open", "hello c1");
  expect(opened.state).toBe("open");
  return opened;
}

describe("the state", () => {
  test("the state is open before each hello, connecting as soon as a connection is lost, and closed before the end", async () => {
    const opened = await open();
    server.sockets[0]?.terminate();
    await reported("open", "hello c1", "connecting");
    // No time has passed: the next attempt still waits.
    expect(opened.state).toBe("connecting");
    await passTime(500);
    await accepted(2);
    server.sockets[1]?.send(helloFrame("c2"));
    await reported("open", "hello c1", "connecting", "open", "hello c2");
    opened.close();
    expect(opened.state).toBe("closed");
    await reported("open", "hello c1", "connecting", "open", "hello c2", "closed", "end null");
    opened.close();
    expect(reports).toHaveLength(7);
  });

  test("the state is not reported at a renewal, also of a connection that is lost after the next one said hello", async () => {
    await open();
    await passTime(RENEWAL);
    await accepted(2);
    server.sockets[1]?.send(helloFrame("c2"));
    await reported("open", "hello c1", "hello c2");
    await poll(() => server.sockets[0]?.readyState).toBe(WebSocket.CLOSED);
    server.sockets[1]?.send(eventFrame("evt_1"));
    await reported("open", "hello c1", "hello c2", "evt_1");
  });

  test("the state is connecting when the first connection is lost during its renewal", async () => {
    await open();
    await passTime(RENEWAL);
    await accepted(2);
    server.sockets[0]?.terminate();
    await reported("open", "hello c1", "connecting");
    server.sockets[1]?.send(helloFrame("c2"));
    await reported("open", "hello c1", "connecting", "open", "hello c2");
  });

  test("the state is reported once while attempts fail", async () => {
    server.playTickets(text(503, ""));
    connect();
    await passTime(500);
    await passTime(1_000);
    await poll(() => reports).toEqual(Array(3).fill("error unexpected_response"));
    server.playTickets(fail(401, { code: "unauthorized" }));
    await passTime(2_000);
    await reported(...Array(3).fill("error unexpected_response"), "closed", "end unauthorized");
    expect(connection?.state).toBe("closed");
  });

  test("the state of a stream whose signal was aborted before is closed, and reported after the constructor", async () => {
    const opened = connect({ signal: AbortSignal.abort() });
    expect(reports).toEqual([]);
    expect(opened.state).toBe("closed");
    await reported("closed", "end null");
    expect(server.ticketRequests).toEqual([]);
  });

  test("the state may close the stream where it is reported: no hello follows", async () => {
    const opened = connect({ onState: (state) => (state === "open" ? opened.close() : reports.push(state)) });
    await accepted(1);
    server.sockets[0]?.send(helloFrame());
    await reported("closed", "end null");
    expect(clock.pending).toEqual([]);
  });
});

describe("a frame of the page", () => {
  test("a frame is sent while a connection stands, and at no other time", async () => {
    const opened = connect();
    await accepted(1);
    const frame = { type: "ping", note: "from the page" };
    expect(opened.send(frame)).toBe(false);
    server.sockets[0]?.send(helloFrame());
    await reported("open", "hello c1");
    expect(opened.send(frame)).toBe(true);
    await poll(() => server.frames).toEqual([JSON.stringify(frame)]);
    server.sockets[0]?.terminate();
    await reported("open", "hello c1", "connecting");
    expect(opened.send(frame)).toBe(false);
    opened.close();
    expect(opened.send(frame)).toBe(false);
    await reported("open", "hello c1", "connecting", "closed", "end null");
    expect(server.frames).toHaveLength(1);
  });

  test("a frame is sent once during a renewal, and on the next connection after its hello", async () => {
    const opened = await open();
    await passTime(RENEWAL);
    await accepted(2);
    expect(opened.send({ type: "ping", note: 1 })).toBe(true);
    server.sockets[1]?.send(helloFrame("c2"));
    await reported("open", "hello c1", "hello c2");
    expect(opened.send({ type: "ping", note: 2 })).toBe(true);
    await poll(() => server.frames).toHaveLength(2);
    expect(server.frames.map((frame) => JSON.parse(frame).note)).toEqual([1, 2]);
  });

  test("a frame of 4,096 bytes is sent, and a longer one or one that is no JSON is refused", async () => {
    const opened = await open();
    const frameOf = (bytes: number) => {
      const rest = bytes - JSON.stringify({ type: "ping", note: "" }).length;
      // Two bytes for each letter.
      return { type: "ping", note: `${"ü".repeat(Math.floor(rest / 2))}${"x".repeat(rest % 2)}` };
    };
    expect(opened.send(frameOf(4_096))).toBe(true);
    const cycle: Record<string, unknown> = {};
    cycle.cycle = cycle;
    const refused = [
      frameOf(4_097),
      { type: "ping", cycle },
      { type: "ping", n: 1n },
      { type: "", toJSON: () => undefined },
    ];
    for (const frame of refused) {
      expect(() => opened.send(frame)).toThrow(
        expect.objectContaining({ name: "ParleyError", code: "invalid_argument" }),
      );
    }
    await poll(() => server.frames.map((frame) => Buffer.byteLength(frame))).toEqual([4_096]);
  });

  test.each<[string, number, () => void]>([
    ["a socket that is closing", WebSocket.CLOSING, () => undefined],
    [
      "a socket that throws",
      WebSocket.OPEN,
      () => {
        throw new Error("The socket is broken.");
      },
    ],
  ])("a frame is not sent on %s, and a check finds it lost", async (_, readyState, send) => {
    class BrokenSocket implements WebSocketLike {
      readonly readyState = readyState;
      readonly #socket: WebSocket;
      constructor(url: string) {
        this.#socket = new WebSocket(url);
      }
      addEventListener(type: "message" | "close" | "error", listener: (event: { readonly data: unknown }) => void) {
        this.#socket.addEventListener(type as "message", listener);
      }
      send = send;
      close() {
        this.#socket.close();
      }
    }
    const opened = await open({ WebSocket: BrokenSocket });
    expect(opened.send({ type: "ping" })).toBe(false);
    expect(() => opened.check()).not.toThrow();
    await passTime(CHECK_TIMEOUT);
    await accepted(2);
    expect(server.frames).toEqual([]);
  });
});

describe("a check", () => {
  test("a check pings at once, and its pong keeps the connection", async () => {
    const opened = await open();
    opened.check();
    await poll(() => server.frames).toEqual([PING]);
    server.sockets[0]?.send('{"type":"pong"}');
    // A frame after the pong, to know that the client has it.
    server.sockets[0]?.send(eventFrame("evt_1"));
    await reported("open", "hello c1", "evt_1");
    await passTime(CHECK_TIMEOUT);
    expect(opened.state).toBe("open");
    opened.check();
    await poll(() => server.frames).toEqual([PING, PING]);
  });

  test("a check without any frame in 3 seconds ends the connection, and the next one is opened at once", async () => {
    const opened = await open();
    opened.check();
    await poll(() => server.frames).toEqual([PING]);
    clock.advance(CHECK_TIMEOUT - 1);
    expect(opened.state).toBe("open");
    clock.advance(1);
    expect(reports).toEqual(["open", "hello c1", "connecting"]);
    await accepted(2);
    // The connection that counts as lost reports nothing any more.
    server.sockets[0]?.send(eventFrame("evt_1"));
    server.sockets[1]?.send(helloFrame("c2"));
    server.sockets[1]?.send(eventFrame("evt_2"));
    await reported("open", "hello c1", "connecting", "open", "hello c2", "evt_2");
  });

  test("a check that is repeated within 3 seconds is one further ping, after them", async () => {
    const opened = await open();
    for (let count = 0; count < 100; count++) opened.check();
    await poll(() => server.frames).toEqual([PING]);
    server.sockets[0]?.send('{"type":"pong"}');
    server.sockets[0]?.send(eventFrame("evt_1"));
    await reported("open", "hello c1", "evt_1");
    await passTime(CHECK_TIMEOUT);
    await poll(() => server.frames).toEqual([PING, PING]);
    // The answer to the first ping says nothing about the second.
    clock.advance(CHECK_TIMEOUT);
    await accepted(2);
    expect(server.frames).toHaveLength(2);
  });

  test("a check ends the wait before the next attempt", async () => {
    const opened = await open();
    server.playTickets(text(503, ""));
    clock.advance(60_000);
    server.sockets[0]?.terminate();
    for (const waitMs of [500, 500, 1_000]) await passTime(waitMs);
    await poll(() => clock.pending).toEqual([2_000]);
    server.playTickets();
    opened.check();
    await accepted(2);
    expect(server.ticketRequests).toHaveLength(5);
  });

  test("a check does not end the time that the service asked for", async () => {
    server.playTickets(text(429, "", { "retry-after": "20" }));
    const opened = connect();
    await poll(() => clock.pending).toEqual([20_500]);
    opened.check();
    clock.advance(19_999);
    opened.check();
    await poll(() => clock.pending).toEqual([501]);
    expect(server.ticketRequests).toHaveLength(1);
    server.playTickets();
    clock.advance(1);
    opened.check();
    await accepted(1);
  });

  test("a check before hello or of a closed stream does nothing", async () => {
    const opened = connect();
    await accepted(1);
    opened.check();
    expect(clock.pending).toEqual([30_000]);
    opened.close();
    await reported("closed", "end null");
    opened.check();
    expect(clock.pending).toEqual([]);
    expect(server.frames).toEqual([]);
    expect(server.ticketRequests).toHaveLength(1);
  });

  test("a check of both connections of a renewal ends the one that does not answer", async () => {
    const opened = await open();
    await passTime(RENEWAL);
    await accepted(2);
    opened.check();
    await passTime(CHECK_TIMEOUT);
    await reported("open", "hello c1", "connecting");
    server.sockets[1]?.send(helloFrame("c2"));
    await reported("open", "hello c1", "connecting", "open", "hello c2");
    expect(server.sockets).toHaveLength(2);
  });

  test("a stream that is closed during a check has no timer", async () => {
    const opened = await open();
    opened.check();
    opened.check();
    opened.close();
    await reported("open", "hello c1", "closed", "end null");
    expect(clock.pending).toEqual([]);
  });
});
