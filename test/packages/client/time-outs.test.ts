import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Parley } from "#client";
import { systemClock } from "../../../packages/client/src/clock.ts";
import { openedOnce } from "../../support/opened.ts";
import { listenOnLoopback } from "./support/loopback.ts";
import { failureOf, hang, hangInBody, ok, startScriptedServer, text } from "./support/scripted-server.ts";
import { TestClock } from "./support/test-clock.ts";

let clock: TestClock;
let parley: Parley;
const server = openedOnce(startScriptedServer);
beforeEach(() => {
  clock = new TestClock();
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 0, maxRetries: 0 });
});

test("an attempt ends after 31 seconds without a connection", async () => {
  // Without TLS the handshake never ends, so no request is ever sent.
  const sockets: Socket[] = [];
  let connected = () => {};
  const connection = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const mute: Server = createServer((socket) => {
    sockets.push(socket);
    connected();
  });
  await listenOnLoopback(mute);
  const baseUrl = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const call = failureOf(new Parley({ baseUrl, apiKey: "k", clock, maxRetries: 0 }).ping());
  await connection;
  clock.advance(31_000);
  expect(await call).toMatchObject({ name: "ParleyError", code: "timeout", status: null });
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test.each([
  ["headers", hang],
  ["the rest of the body", hangInBody],
])("an attempt ends after 31 seconds without %s", async (_, step) => {
  server.play(step);
  const call = failureOf(parley.ping());
  await server.arrived(1);
  clock.advance(30_999);
  expect(clock.pending).toEqual([1]);
  clock.advance(1);
  expect(await call).toMatchObject({ code: "timeout", status: null });
});

test("an attempt ends also when fetch ignores its signal", async () => {
  const deaf = new Parley({
    baseUrl: server.url,
    apiKey: "k",
    clock,
    maxRetries: 0,
    fetch: () => new Promise(() => {}),
  });
  const call = failureOf(deaf.ping({ attemptTimeoutMs: 5_000 }));
  await expect.poll(() => clock.pending).toEqual([5_000]);
  clock.advance(5_000);
  expect(await call).toMatchObject({ code: "timeout" });
});

test("an attempt leaves no timer behind", async () => {
  server.play(ok({}));
  await parley.ping();
  expect(clock.pending).toEqual([]);
});

test("a whole call ends in the middle of an attempt", async () => {
  server.play(text(500, ""), hang);
  const call = failureOf(parley.ping({ timeoutMs: 10_000, maxRetries: 4 }));
  await expect.poll(() => clock.pending).toEqual([250]);
  clock.advance(250);
  await server.arrived(2);
  expect(clock.pending).toEqual([9_750]);
  clock.advance(9_750);
  expect(await call).toMatchObject({ code: "timeout" });
  expect(server.requests).toHaveLength(2);
});

test("a whole call waits for no attempt that its time does not permit", async () => {
  server.play(text(500, ""));
  expect(await failureOf(parley.ping({ timeoutMs: 250, maxRetries: 4 }))).toMatchObject({ status: 500 });
  expect(server.requests).toHaveLength(1);
});

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 60 * 86_400_000])(
  "a time-out of %d ms does not end a call at once",
  (delayMs) => {
    vi.useFakeTimers();
    try {
      const onTimeout = vi.fn();
      const cancel = systemClock.schedule(onTimeout, delayMs);
      vi.advanceTimersByTime(20 * 86_400_000);
      expect(onTimeout).not.toHaveBeenCalled();
      cancel();
    } finally {
      vi.useRealTimers();
    }
  },
);

test("an aborted signal ends the call, with the reason as the cause", async () => {
  server.play(hang);
  const controller = new AbortController();
  const call = failureOf(parley.ping({ signal: controller.signal, maxRetries: 4 }));
  await server.arrived(1);
  controller.abort(new Error("The person left the page."));
  const error = await call;
  expect(error).toMatchObject({ name: "ParleyError", code: "aborted", status: null });
  expect(error.cause).toEqual(new Error("The person left the page."));
  expect(clock.pending).toEqual([]);
});

test("an aborted signal ends the wait between two attempts", async () => {
  server.play(text(500, ""));
  const controller = new AbortController();
  const call = failureOf(parley.ping({ signal: controller.signal, maxRetries: 4 }));
  await expect.poll(() => clock.pending).toEqual([250]);
  controller.abort();
  expect(await call).toMatchObject({ code: "aborted" });
  expect(clock.pending).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test("an aborted signal sends nothing when it was aborted before", async () => {
  server.play(ok({}));
  expect(await failureOf(parley.ping({ signal: AbortSignal.abort() }))).toMatchObject({ code: "aborted" });
  expect(server.requests).toEqual([]);
});

test("an aborted signal changes nothing after the response", async () => {
  server.play(ok({ name: "parley" }));
  const controller = new AbortController();
  const data = await parley.ping({ signal: controller.signal });
  controller.abort();
  expect(data).toEqual({ name: "parley" });
});

describe("the caller's function of the CSRF token", () => {
  const SIGN_OUT = "POST /console/auth/logout";
  const session = (csrfToken: () => Promise<string>) => new Parley({ baseUrl: server.url, clock, csrfToken });
  const hanging = vi.fn(() => new Promise<string>(() => {}));
  beforeEach(() => {
    hanging.mockClear();
    server.play(ok({}));
  });

  test.each([
    ["an attempt", { attemptTimeoutMs: 5_000 }, 5_000],
    ["an attempt, by default", {}, 31_000],
    ["the whole call", { timeoutMs: 4_000 }, 4_000],
  ])(
    "the caller's function of the CSRF token ends with the time of %s, and nothing is sent",
    async (_, limits, timeoutMs) => {
      const call = failureOf(session(hanging).request(SIGN_OUT, limits));
      expect(clock.pending).toEqual([timeoutMs]);
      clock.advance(timeoutMs);
      expect(await call).toMatchObject({ name: "ParleyError", code: "timeout", status: null });
      expect(server.requests).toEqual([]);
      expect(clock.pending).toEqual([]);
    },
  );

  test("the caller's function of the CSRF token takes its time from that of the whole call", async () => {
    server.play(hang);
    const slow = async () => {
      clock.advance(3_000);
      return "token-1";
    };
    const call = failureOf(session(slow).request(SIGN_OUT, { timeoutMs: 10_000 }));
    await server.arrived(1);
    expect(clock.pending).toEqual([7_000]);
    clock.advance(7_000);
    expect(await call).toMatchObject({ code: "timeout" });
  });

  test("the caller's function of the CSRF token ends with the signal, and is not called after it", async () => {
    const controller = new AbortController();
    const call = failureOf(session(hanging).request(SIGN_OUT, { signal: controller.signal }));
    controller.abort();
    expect(await call).toMatchObject({ code: "aborted" });
    expect(await failureOf(session(hanging).request(SIGN_OUT, { signal: AbortSignal.abort() }))).toMatchObject({
      code: "aborted",
    });
    expect(hanging).toHaveBeenCalledTimes(1);
    expect(server.requests).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  test("the caller's function of the CSRF token fails with its own error", async () => {
    const error = new Error("The page has no session.");
    expect(await failureOf(session(() => Promise.reject(error)).request(SIGN_OUT))).toBe(error);
    expect(clock.pending).toEqual([]);
  });
});
