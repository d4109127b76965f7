import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { formatApiKey } from "#features/access/rules/callers.ts";
import { openedOnce } from "../../support/opened.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";

const person = newPersonId();
const conversation = `CONV#demo#messenger#${demoAccountIds.messenger}#${person}`;
const messageIds = [newMessageId(), newMessageId(), newMessageId()];

const stack = openedOnce(openSharedStack);
beforeAll(async () => {
  const at = await stack.now();
  const entries = messageIds.map((mid, n) =>
    textEntry(demoAccountIds.messenger, person, mid, `text ${n}`, at - 1_000 + n),
  );
  const others = [1, 2].map((n) =>
    textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), "other", at - 5_000 - n),
  );
  await postWebhook(stack, "page", [...entries, ...others]);
  await waitUntilIdle(stack);
});

const get = (path: string): Promise<ApiResponse> => stack.api("GET", path);
const encodeId = (id: string): string => encodeURIComponent(id);

function readRefusal({ status, body, headers }: ApiResponse): unknown[] {
  return [status, body.ok, body.error.code, headers.get("x-correlation-id") !== null];
}

const reply = (body: string): Promise<ApiResponse> => stack.api("POST", "/v1/messages/reply", body);

it.each([
  "",
  "{",
  "[1]",
  "null",
  '"text"',
  "\ufeff{}",
  '{"conversation_id":1,"text":"x"}',
  '{"text":"x"}',
  '{"conversation_id":"c","text":""}',
  '{"conversation_id":"c","text":"x","__proto__":{}}',
  '{"conversation_id":"c","text":"\\ud800"}',
  '{"conversation_id":"c","text":"x","attachments":[]}',
])("an invalid body is 400: %j", async (body) => {
  expect(readRefusal(await reply(body))).toEqual([400, false, "invalid_request", true]);
});

it("an invalid body is 413 above 256 KiB and validated at 256 KiB", async () => {
  const start = '{"conversation_id":"c","text":"';
  const sized = (size: number): string => `${start}${"x".repeat(size - start.length - 2)}"}`;
  expect(readRefusal(await reply(sized(300_000)))).toEqual([413, false, "payload_too_large", true]);
  expect(readRefusal(await reply(sized(256 * 1024 + 1)))).toEqual([413, false, "payload_too_large", true]);
  expect(readRefusal(await reply(sized(256 * 1024)))).toEqual([404, false, "conversation_not_found", true]);
});

it("an invalid body is 400 for a webhook endpoint with an unknown event type, or with none", async () => {
  const url = "https://example.com/hooks";
  for (const body of [{ url, events: ["message.unknown"] }, { url, events: [] }, { url: 1 }, {}]) {
    expect(readRefusal(await stack.api("POST", "/v1/webhooks", body))).toEqual([400, false, "invalid_request", true]);
  }
});

describe("paging", () => {
  const firstCursor = async (path: string): Promise<string> => (await get(path)).body.data.next_cursor ?? "";

  it("paging visits each message once with pages of one", async () => {
    const correlationIds: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const response: ApiResponse = await get(`/v1/messages?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      expect(response.status).toBe(200);
      correlationIds.push(...response.body.data.messages.map(({ id }) => id));
      cursor = response.body.data.next_cursor;
    }
    expect(correlationIds).toHaveLength(5);
    expect(new Set(correlationIds).size).toBe(5);
    expect(correlationIds.slice(0, 3)).toEqual([...messageIds].reverse());
  });

  it.each(["garbage", "", "AAAA", "%00", "a".repeat(500), "../..", "eyJhIjoxfQ"])(
    "paging refuses the cursor %j",
    async (cursor) => {
      expect(readRefusal(await get(`/v1/messages?cursor=${cursor}`))).toEqual([400, false, "invalid_request", true]);
    },
  );

  it("paging refuses a cursor of another route, other filters or another conversation, or with a changed byte", async () => {
    const messages = await firstCursor("/v1/messages?limit=1");
    const conversations = await firstCursor("/v1/conversations?limit=1");
    const inbounds = await firstCursor("/v1/messages?limit=1&direction=inbound");
    const thread = await firstCursor(`/v1/conversations/${encodeId(conversation)}?limit=1`);
    for (const cursor of [messages, conversations, inbounds, thread]) expect(cursor).toMatch(/^[\w-]{20,}$/);
    const changed = (messages.startsWith("A") ? "B" : "A") + messages.slice(1);
    for (const path of [
      `/v1/messages?cursor=${conversations}`,
      `/v1/conversations?cursor=${messages}`,
      `/v1/messages?cursor=${inbounds}`,
      `/v1/messages?direction=echo&cursor=${inbounds}`,
      `/v1/messages?include_test=true&cursor=${messages}`,
      `/v1/messages?conversation_id=${encodeId(conversation)}&cursor=${thread}`,
      `/v1/messages?cursor=${changed}`,
    ]) {
      expect(readRefusal(await get(path)), path).toEqual([400, false, "invalid_request", true]);
    }
    expect((await get(`/v1/messages?direction=inbound&cursor=${inbounds}`)).status).toBe(200);
  });

  it.each(["0", "-1", "1.5", "1e3", "", "abc", "%2050", "0x10", "+5"])("paging refuses the limit %j", async (limit) => {
    for (const path of ["/v1/messages", "/v1/conversations"]) {
      expect(readRefusal(await get(`${path}?limit=${limit}`))).toEqual([400, false, "invalid_request", true]);
    }
  });

  it.each(["1", "100", "101", "999999999999999999999"])(
    "paging accepts the limit %s, clamped to 100",
    async (limit) => {
      const { status, body } = await get(`/v1/messages?limit=${limit}`);
      expect([status, body.data.messages.length]).toEqual([200, Math.min(Number(limit), 5)]);
    },
  );

  it.each(["direction=sideways", "include_test=yes", "limit=1&limit=2"])("paging refuses ?%s", async (query) => {
    expect(readRefusal(await get(`/v1/messages?${query}`))).toEqual([400, false, "invalid_request", true]);
  });
});

it.each(["", "A", "ab", "-ab", "ab-", "Demo", "demo%23x", "a".repeat(41)])(
  "a tenant with the malformed slug %j is 400",
  async (slug) => {
    expect(readRefusal(await get(`/v1/messages?tenant=${slug}`))).toEqual([400, false, "invalid_request", true]);
  },
);

it("a tenant of the key may be named; any other is 403, existing or not", async () => {
  expect((await get("/v1/messages?tenant=demo")).status).toBe(200);
  expect(readRefusal(await get("/v1/messages?tenant=other"))).toEqual([403, false, "forbidden", true]);
});

it("a conversation id that is encoded with %23 returns the conversation with its messages", async () => {
  const { status, body } = await get(`/v1/conversations/${encodeId(conversation)}`);
  expect([status, body.data.conversation.id]).toEqual([200, conversation]);
  expect(body.data.messages.map(({ id }) => id)).toEqual([...messageIds].reverse());
});

it("a conversation id that is encoded with %2523 is unknown", async () => {
  const twice = encodeId(encodeId(conversation));
  expect(twice).toContain("%2523");
  expect(readRefusal(await get(`/v1/conversations/${twice}`))).toEqual([404, false, "conversation_not_found", true]);
  const byQuery = `/v1/messages?conversation_id=${twice}`;
  expect(readRefusal(await get(byQuery))).toEqual([404, false, "conversation_not_found", true]);
});

it("a conversation id that is unknown, foreign or malformed gets the same bytes", async () => {
  const { messenger } = demoAccountIds;
  const ids = [
    `CONV#demo#messenger#${messenger}#1`,
    `CONV#other#messenger#${messenger}#${person}`,
    `CONV#demo#instagram#${messenger}#${person}`,
    `CONV#demo#telegram#${messenger}#${person}`,
    `CONV#demo#messenger#${messenger}`,
    `CONV#DEMO#messenger#${messenger}#${person}`,
    `${conversation}#`,
    `conv#demo#messenger#${messenger}#${person}`,
    "nonsense",
    "%",
    "\u0000",
    "x".repeat(2_000),
  ];
  for (const route of [
    (id: string) => get(`/v1/conversations/${encodeId(id)}`),
    (id: string) => get(`/v1/messages?conversation_id=${encodeId(id)}`),
    (id: string) => stack.api("POST", "/v1/messages/reply", { conversation_id: id, text: "x" }),
  ]) {
    const responses = await Promise.all(ids.map(route));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headersBut(headers))).size).toBe(1);
    expect(readRefusal(responses[0] as ApiResponse)).toEqual([404, false, "conversation_not_found", true]);
    expect(new Set(responses.map(({ headers }) => headers.get("x-correlation-id"))).size).toBe(ids.length);
  }
});

function headersBut(headers: Headers): string {
  // These differ between any two requests.
  const own = ["x-correlation-id", "date", "ratelimit-remaining", "ratelimit-reset"];
  return JSON.stringify([...headers].filter(([name]) => !own.includes(name)));
}

it.each([
  "/v1",
  "/v1/",
  "/v1/nothing",
  "/v2/ping",
  "/v1/messages/",
  "/",
  "/.well-known/security.txt",
  "/favicon.ico",
  "//v1/ping",
])("an unknown resource at %s is 404", async (path) => {
  expect(readRefusal(await get(path))).toEqual([404, false, "route_not_found", true]);
  expect(readRefusal(await stack.api("GET", path, undefined, null))).toEqual([404, false, "route_not_found", true]);
});

it.each([
  ["POST", "/v1/messages", "GET, HEAD"],
  ["DELETE", "/v1/webhooks", "GET, HEAD, POST"],
  ["GET", "/v1/messages/reply", null],
  ["PUT", "/v1/ping", "GET, HEAD"],
  ["PROPFIND", "/v1/ping", "GET, HEAD"],
  ["PUT", "/webhooks/instagram", "GET, HEAD, POST"],
  ["DELETE", "/verify", "GET, HEAD"],
])("an unknown resource as %s at %s is no route", async (method, path, allow) => {
  const response = await stack.api(method, path);
  // A literal path and `{id}` overlap: GET /v1/messages/reply requests the message with the id "reply".
  if (allow === null) return expect(readRefusal(response)).toEqual([404, false, "message_not_found", true]);
  expect(readRefusal(response)).toEqual([405, false, "method_not_allowed", true]);
  expect(response.headers.get("allow")).toBe(allow);
});

it("an unknown resource is 404 for a message and an endpoint, and an empty list for the deliveries of an endpoint", async () => {
  expect(readRefusal(await get("/v1/messages/m_unknown"))).toEqual([404, false, "message_not_found", true]);
  expect(readRefusal(await get("/v1/webhooks/unknown"))).toEqual([404, false, "endpoint_not_found", true]);
  const { status, body } = await get("/v1/webhooks/unknown/deliveries");
  expect([status, body.data]).toEqual([200, { deliveries: [], next_cursor: null }]);
});

describe("a key", () => {
  const requestAs = (authorization: string | null): Promise<ApiResponse> =>
    stack.request("/v1/messages", authorization === null ? {} : { headers: { authorization } });
  const other = (key: string): string => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  /** A credential for each cause, which says nothing about any key. */
  const examples: Record<string, string | null> = {
    no_credential: null,
    wrong_scheme: "Basic eDp5",
    malformed_key: "Bearer x",
    unknown_key: `Bearer ${formatApiKey("live", randomBytes(80))}`,
  };
  const bad: readonly (readonly [string, string, () => string | null])[] = [
    ["that is missing", "no_credential", () => null],
    ["that is empty", "malformed_key", () => "Bearer "],
    ["without its scheme", "wrong_scheme", () => stack.info.live_key],
    ["with another scheme", "wrong_scheme", () => `Basic ${stack.info.live_key}`],
    ["that is malformed", "malformed_key", () => "Bearer svc_live_garbled"],
    ["whose checksum is wrong", "malformed_key", () => `Bearer ${other(stack.info.live_key)}`],
    ["that is truncated", "malformed_key", () => `Bearer ${stack.info.live_key.slice(0, -1)}`],
    ["of the other scope", "malformed_key", () => `Bearer ${stack.info.live_key.replace("svc_live_", "svc_test_")}`],
    ["with trailing text", "malformed_key", () => `Bearer ${stack.info.live_key} x`],
    ["that was never issued", "unknown_key", () => `Bearer ${formatApiKey("live", randomBytes(80))}`],
    ["that is very long", "malformed_key", () => `Bearer ${"x".repeat(5_000)}`],
  ];

  it.each(bad)("%s is 401 for the cause %s, with the bytes of any other", async (_, cause, authorization) => {
    const response = await requestAs(authorization());
    expect(readRefusal(response)).toEqual([401, false, "unauthorized", true]);
    expect(response.body.error.detail).toBe(cause);
    expect(response.text).toBe((await requestAs(examples[cause] ?? null)).text);
  });

  it("a key is required on every /v1 route except ping", async () => {
    for (const [method, path] of [
      ["GET", "/v1/conversations"],
      ["GET", `/v1/conversations/${encodeId(conversation)}`],
      ["GET", "/v1/messages"],
      ["GET", "/v1/messages/x"],
      ["POST", "/v1/messages/reply"],
      ["GET", "/v1/accounts"],
      ["GET", "/v1/webhooks"],
      ["POST", "/v1/webhooks"],
      ["GET", "/v1/webhooks/x"],
      ["GET", "/v1/webhooks/x/deliveries"],
    ] as const) {
      const response = await stack.api(method, path, method === "POST" ? {} : undefined, null);
      expect(readRefusal(response), path).toEqual([401, false, "unauthorized", true]);
    }
    expect((await stack.api("GET", "/v1/ping", undefined, null)).status).toBe(200);
    expect((await stack.api("GET", "/health", undefined, null)).text).toBe('{"ok":true}');
  });

  it("a key with the test scope reads the same", async () => {
    const [live, test] = await Promise.all([
      get("/v1/messages"),
      stack.api("GET", "/v1/messages", undefined, stack.info.test_key),
    ]);
    expect(test.text).toBe(live.text);
  });
});

it("the edge refuses with a bare 429, without envelope and correlation id, as often as configured", async () => {
  await stack.local("POST", "/faults", { edge_429: 2 });
  for (const path of ["/v1/ping", "/v1/messages"]) {
    const { status, body, headers } = await get(path);
    expect(status).toBe(429);
    expect(body).not.toHaveProperty("ok");
    expect(body).not.toHaveProperty("error");
    expect(headers.has("x-correlation-id")).toBe(false);
    expect(headers.has("retry-after")).toBe(false);
  }
  expect((await get("/v1/messages")).status).toBe(200);
});

it("every response has its own correlation id", async () => {
  const responses = await Promise.all(
    ["/v1/ping", "/health", "/v1/messages", "/v1/nothing", "/", "/webhooks/instagram"].map((path) => get(path)),
  );
  const ids = responses.map(({ headers }) => headers.get("x-correlation-id"));
  expect(ids).not.toContain(null);
  expect(new Set(ids).size).toBe(ids.length);
});

// `npm test` has the exact limit in `test/features/access/routes/request-limit.test.ts`.
it.runIf(inject("fullRun"))(
  "the 601st request of a key in a minute is 429 with Retry-After, and the next minute allows requests again",
  async () => {
    const intoTheMinute = (await stack.now()) % 60_000;
    await stack.clock(`PT${(60_000 - intoTheMinute) / 1_000}S`);
    const statuses: number[] = [];
    for (let n = 0; n < 300; n++) {
      const responses = await Promise.all([get("/v1/accounts"), get("/v1/accounts")]);
      statuses.push(...responses.map(({ status }) => status));
    }
    const refused = await get("/v1/accounts");
    expect((await stack.now()) % 60_000, "all within one minute").toBeLessThan(59_000);
    expect(statuses).toEqual(Array(600).fill(200));
    expect(readRefusal(refused)).toEqual([429, false, "rate_limited", true]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    await stack.clock("PT1M");
    expect((await get("/v1/accounts")).status).toBe(200);
  },
);

const preflight = (path: string, origin: string) =>
  fetch(`${stack.info.base_url}${path}`, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-csrf-token" },
  });

it("a browser of the console's origin may write and read responses, through the gateway, and no other may", async () => {
  const { origin } = new URL(stack.info.base_url);
  for (const path of ["/v1/keys", "/console/auth/logout"]) {
    const { status, headers } = await preflight(path, origin);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(headers.get("access-control-allow-headers")).toContain("x-csrf-token");
    const other = await preflight(path, "https://evil.example");
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  }
  expect((await preflight("/health", origin)).headers.get("access-control-allow-origin")).toBeNull();
});
