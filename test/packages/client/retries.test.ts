import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { type Operation, Parley, type ParleyError } from "#client";
import { openedOnce } from "../../support/opened.ts";
import {
  disconnect,
  disconnectInBody,
  fail,
  failureOf,
  hang,
  ok,
  type Step,
  startScriptedServer,
  text,
} from "./support/scripted-server.ts";
import { TestClock } from "./support/test-clock.ts";

// The client guidance of the API, row by row, against a server that answers as scripted.

const ATTEMPT_TIMEOUT = 31_000;
let clock: TestClock;
let parley: Parley;
const server = openedOnce(startScriptedServer);
beforeEach(() => {
  clock = new TestClock((delayMs) => delayMs !== ATTEMPT_TIMEOUT);
  parley = new Parley({ baseUrl: server.url, apiKey: "svc_live_k", clock, random: () => 0 });
});

/** What ends one attempt, and what the client makes of it. `hang` ends when the clock is turned. */
const retried: readonly (readonly [string, Step, Partial<ParleyError>])[] = [
  ["429 in the envelope", fail(429, { code: "rate_limited" }), { code: "rate_limited", status: 429 }],
  ["429 without a body", text(429, ""), { code: "rate_limited", status: 429 }],
  ["429 with another code", fail(429, { code: "too_many" }), { code: "rate_limited", status: 429 }],
  ["429 of a proxy, in HTML", text(429, "<html>"), { code: "rate_limited", status: 429 }],
  ["500 in the envelope", fail(500, { code: "internal_error" }), { code: "internal_error", status: 500 }],
  ["502 of a proxy, in HTML", text(502, "<html>Bad Gateway"), { code: "unexpected_response", status: 502 }],
  ["503 without a body", text(503, ""), { code: "unexpected_response", status: 503 }],
  ["504 of a gateway", text(504, '{"message":"timeout"}'), { code: "unexpected_response", status: 504 }],
  ["a connection closed before the response", disconnect, { code: "connection_failed", status: null }],
  ["a connection closed in the body", disconnectInBody, { code: "connection_failed", status: null }],
];

test.each(retried)("a read is retried four times after %s", async (_, step, expected) => {
  server.play(step);
  expect(await failureOf(parley.conversations.list())).toMatchObject(expected);
  expect(server.requests).toHaveLength(5);
  expect(clock.waits).toEqual([250, 500, 1_000, 2_000]);
  expect(clock.pending).toEqual([]);
});

test.each(retried)("a read succeeds after %s", async (_, step) => {
  server.play(step, step, ok({ conversations: [], next_cursor: null }));
  expect(await parley.conversations.list()).toEqual({ conversations: [], next_cursor: null });
  expect(clock.waits).toEqual([250, 500]);
});

test("a read is retried after an attempt without a response in 31 seconds", async () => {
  server.play(hang, ok({ name: "parley" }));
  const call = parley.ping();
  await server.arrived(1);
  clock.advance(ATTEMPT_TIMEOUT);
  expect(await call).toEqual({ name: "parley" });
  expect(clock.waits).toEqual([250]);
});

test("a read is retried when no server listens", async () => {
  const away = new Parley({ baseUrl: "http://127.0.0.1:1", apiKey: "k", clock, random: () => 0, maxRetries: 1 });
  expect(await failureOf(away.ping())).toMatchObject({ code: "connection_failed", status: null });
  expect(clock.waits).toEqual([250]);
});

test.each<[string, Step, Partial<ParleyError>]>([
  ["400", fail(400, { code: "invalid_request" }), { code: "invalid_request" }],
  ["401", fail(401, { code: "unauthorized" }), { code: "unauthorized" }],
  ["404", fail(404, { code: "conversation_not_found" }), { code: "conversation_not_found" }],
  ["an exhausted budget, which is a 409", fail(409, { code: "rate_limited" }), { code: "rate_limited", status: 409 }],
  ["a page of a proxy with status 200", text(200, "<html>"), { code: "unexpected_response", status: 200 }],
  ["JSON that ends too early", text(200, '{"ok":true,"data":{'), { code: "unexpected_response", status: 200 }],
  ["JSON without an envelope", text(200, '{"conversations":[]}'), { code: "unexpected_response", status: 200 }],
  ["a failure with status 200", fail(200, { code: "internal_error" }), { code: "internal_error", status: 200 }],
  [
    "a redirect",
    text(302, "", { location: "https://wifi.example/" }),
    { code: "unexpected_response", status: 302, detail: "https://wifi.example/" },
  ],
])("a read is not retried after %s", async (_, step, expected) => {
  server.play(step, ok({ conversations: [], next_cursor: null }));
  expect(await failureOf(parley.conversations.list())).toMatchObject(expected);
  expect(server.requests).toHaveLength(1);
  expect(clock.waits).toEqual([]);
});

test("the wait is half of the backoff and up to as much again at random, at most 30 seconds", async () => {
  const jittery = new Parley({
    baseUrl: server.url,
    apiKey: "k",
    clock,
    random: () => 1,
    maxRetries: 8,
    timeoutMs: 600_000,
  });
  server.play(text(500, ""));
  await failureOf(jittery.ping());
  expect(clock.waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test.each<[string, string]>([
  ["seconds", "7"],
  ["a date", "Mon, 23 Nov 2026 00:00:07 GMT"],
])("the wait starts after Retry-After in %s", async (_, header) => {
  server.play(text(429, "", { "retry-after": header }), ok({}));
  await parley.ping();
  expect(clock.waits).toEqual([7_250]);
});

test.each(["", "-1", "soon", "1e3", "Mon, 23 Nov 2020 00:00:00 GMT"])(
  "the wait ignores the Retry-After %j",
  async (header) => {
    server.play(text(503, "", { "retry-after": header }), ok({}));
    await parley.ping();
    expect(clock.waits).toEqual([250]);
  },
);

test.each<[string, Step[], number[]]>([
  ["a longer Retry-After", [text(429, "", { "retry-after": "100" })], []],
  ["a Retry-After that is longer than what is left", [text(500, ""), text(429, "", { "retry-after": "5" })], [250]],
  ["the backoff alone", [text(500, "")], [250, 500, 1_000, 2_000]],
])("the waits of a call are not longer than retryWaitMs: %s", async (_, steps, waits) => {
  const impatient = new Parley({
    baseUrl: server.url,
    apiKey: "k",
    clock,
    random: () => 0,
    maxRetries: 8,
    retryWaitMs: 5_250,
  });
  server.play(...steps);
  await failureOf(impatient.ping());
  expect(clock.waits).toEqual(waits);
  expect(server.requests).toHaveLength(waits.length + 1);
});

test("a call has its own retryWaitMs", async () => {
  const impatient = new Parley({ baseUrl: server.url, apiKey: "k", clock, random: () => 0, retryWaitMs: 5_000 });
  server.play(text(429, "", { "retry-after": "80" }), ok({ conversations: [], next_cursor: null }));
  await impatient.conversations.list({}, { retryWaitMs: 81_000 });
  expect(clock.waits).toEqual([80_250]);
});

test("the wait never passes the end of the call: the error says when a retry is welcome", async () => {
  server.play(text(429, "", { "retry-after": "50" }), text(429, "", { "retry-after": "70" }), ok({}));
  expect(await failureOf(parley.ping())).toMatchObject({ code: "rate_limited", retryAfter: 70 });
  expect(clock.waits).toEqual([50_250]);
});

test("the wait can be switched off", async () => {
  server.play(text(500, ""), ok({}));
  expect(await failureOf(parley.ping({ maxRetries: 0 }))).toMatchObject({ status: 500 });
});

const document = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url)), "utf8"),
);
const writes = Object.entries<object>(document.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((method) => ["post", "patch", "put", "delete"].includes(method))
    .map((method) => `${method.toUpperCase()} ${path}`),
);
const retriedAfter429 = [
  "POST /v1/webhooks/{id}/test",
  "POST /v1/webhooks/{id}/deliveries/replay",
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay",
];

/** A call of any operation of the document. */
function call(operation: string): Promise<unknown> {
  const names = [...operation.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, "x"]);
  return parley.request(operation as Operation, { path: Object.fromEntries(names), body: {} } as never);
}

describe("a write", () => {
  test("the document has the writes that the contract says are retried after a 429", () => {
    expect(writes).toEqual(expect.arrayContaining(retriedAfter429));
    expect(writes.length).toBeGreaterThan(25);
  });

  test.each(retriedAfter429)("%s is retried after a 429", async (operation) => {
    server.play(text(429, "", { "retry-after": "3" }), fail(429, { code: "rate_limited" }), ok({ done: true }));
    expect(await call(operation)).toEqual({ done: true });
    expect(clock.waits).toEqual([3_250, 500]);
  });

  test.each(retriedAfter429)("%s is not retried after anything else", async (operation) => {
    for (const [name, step] of retried.filter(([title]) => !title.startsWith("429"))) {
      server.play(step, ok({}));
      await failureOf(call(operation));
      expect([name, server.requests.length]).toEqual([name, 1]);
    }
    expect(clock.waits).toEqual([]);
  });

  test.each(writes.filter((operation) => !retriedAfter429.includes(operation)))(
    "%s is never retried",
    async (operation) => {
      for (const [name, step] of retried) {
        server.play(step, ok({}));
        await failureOf(call(operation));
        expect([name, server.requests.length]).toEqual([name, 1]);
      }
      expect(clock.waits).toEqual([]);
    },
  );

  test("a write is not retried after a time-out", async () => {
    server.play(hang, ok({}));
    const reply = failureOf(parley.messages.reply({ conversation_id: "c", text: "Hello" }));
    await server.arrived(1);
    clock.advance(ATTEMPT_TIMEOUT);
    expect(await reply).toMatchObject({ code: "timeout", status: null });
    expect(server.requests).toHaveLength(1);
  });
});
