import { beforeAll, beforeEach, expect, it } from "vitest";
import { eventTypes } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { authenticate, enforceRateLimit } from "#features/access/authenticate.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import type { FetchApp } from "../support/conformance/fetch-app.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { testApp } from "../support/routes/test-app.ts";
import { newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../support/stores/samples.ts";

let app: FetchApp;
let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
const ports = openedOnce(async () => testEnv.apiPorts(await testEnv.newQueues()));
beforeAll(async () => {
  app = testApp(testEnv, ports);
});
beforeEach(async () => {
  tenant = newTenant();
  key = await newKey(tenant);
});

const newKey = async (keyTenant: TenantId, scope: "live" | "test" = "live") => {
  return (await createKey(ports, keyTenant, { scope, label: "", author: { actor: "cli" } }, testEnv.now())).secret;
};

interface TestResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

async function request(path: string, options: { key?: string; body?: unknown } = {}): Promise<TestResponse> {
  const response = await app.request(path, {
    headers: { authorization: `Bearer ${options.key ?? key}`, "content-type": "application/json" },
    ...(options.body === undefined ? {} : { method: "POST", body: JSON.stringify(options.body) }),
  });
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
}

async function recordInbound(id: string, at = testEnv.now()): Promise<void> {
  const message = sampleMessage(tenant, { id, sentAt: at, text: `text ${id}` });
  await messageStore(testEnv.table).record(tenant, message, at);
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
}

it("the pages of messages, of a conversation and of the inbox have each row once", async () => {
  for (let i = 0; i < 7; i++) await recordInbound(`m${i}`);
  const id = encodeURIComponent(sampleConversationId(tenant));
  for (const path of [
    "/v1/messages?limit=3",
    `/v1/conversations/${id}?limit=3`,
    `/v1/messages?limit=3&conversation_id=${id}`,
  ]) {
    const visited: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await request(`${path}${cursor}`);
      visited.push(...body.data.messages.map((message: { id: string }) => message.id));
      if (body.data.next_cursor === null) break;
      cursor = `&cursor=${body.data.next_cursor}`;
    }
    expect(visited.sort()).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
  }
  const inbox = await request("/v1/conversations");
  expect(inbox.body.data).toMatchObject({ conversations: [{ id: sampleConversationId(tenant) }], next_cursor: null });
});

it("reading accepts a cursor only for its own query and tenant", async () => {
  for (let i = 0; i < 3; i++) await recordInbound(`m${i}`);
  const { body } = await request("/v1/messages?limit=1");
  const cursor = body.data.next_cursor;
  expect((await request(`/v1/messages?limit=2&cursor=${cursor}`)).status).toBe(200);
  const strange = await newKey(newTenant());
  for (const [path, apiKey] of [
    [`/v1/conversations?cursor=${cursor}`, key],
    [`/v1/messages?direction=inbound&cursor=${cursor}`, key],
    [`/v1/messages?include_test=true&cursor=${cursor}`, key],
    [`/v1/messages?cursor=${cursor}`, strange],
    [`/v1/messages?cursor=${cursor}x`, key],
  ] as const) {
    expect(await request(path, { key: apiKey })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  }
});

it("reading answers ids of another tenant exactly as unknown ids", async () => {
  await recordInbound("private");
  const stranger = await newKey(newTenant());
  const pairs = [
    [`/v1/conversations/${encodeURIComponent(sampleConversationId(tenant))}`, "/v1/conversations/CONV%23x"],
    [
      `/v1/messages?conversation_id=${encodeURIComponent(sampleConversationId(tenant))}`,
      "/v1/messages?conversation_id=x",
    ],
    ["/v1/messages/private", "/v1/messages/nothing"],
  ] as const;
  for (const [foreign, unknown] of pairs) {
    expect((await request(foreign)).status).toBe(200);
    const refused = await request(foreign, { key: stranger });
    expect(refused.status).toBe(404);
    expect(refused).toEqual(await request(unknown, { key: stranger }));
  }
  expect((await request(`/v1/messages?tenant=${tenant}`, { key: stranger })).status).toBe(403);
});

it("reading hints at a # that is not encoded in a URL", async () => {
  for (const path of ["/v1/conversations/CONV", "/v1/messages?conversation_id=CONV"]) {
    const { status, body } = await request(path);
    expect([status, body.error.code, body.error.message]).toEqual([
      404,
      "conversation_not_found",
      "Conversation not found. The id ends before its first #. Encode each # in it as %23.",
    ]);
  }
});

it("reading shows test traffic only on request", async () => {
  const message = sampleMessage(tenant, { id: "t1", scope: "test", sentAt: testEnv.now() });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await recordInbound("l1", testEnv.now() - 1);
  const ids = async (path: string) => (await request(path)).body.data.messages.map((one: { id: string }) => one.id);
  expect(await ids("/v1/messages")).toEqual(["l1"]);
  expect(await ids("/v1/messages?include_test=true")).toEqual(["t1", "l1"]);
  expect((await request("/v1/messages/t1")).status).toBe(404);
  expect((await request("/v1/messages/t1?include_test=true")).status).toBe(200);
});

it("webhooks subscribe by default to all events but `conversation.updated`, and return the secret once", async () => {
  const response = await request("/v1/webhooks", { body: { url: "http://127.0.0.1:1/in" } });
  expect(response.body.data.endpoint.events).toEqual(eventTypes.filter((type) => type !== "conversation.updated"));
  const secret = response.body.data.signing_secret;
  expect(secret).toMatch(/^whs_/);
  const list = await request("/v1/webhooks");
  const read = await request(`/v1/webhooks/${response.body.data.endpoint.id}`);
  expect(list.body.data.endpoints).toEqual([read.body.data.endpoint]);
  expect(JSON.stringify([list, read])).toContain(secret.slice(0, 12));
  expect(JSON.stringify([list, read])).not.toContain(secret.slice(0, 13));
});

it("webhooks are refused with the reason when the URL or the request is invalid", async () => {
  for (const body of [
    { url: "http://10.0.0.1/in" },
    { url: "http://127.0.0.1:1/", events: [] },
    { url: "http://127.0.0.1:1/", events: ["message.unknown"] },
    {},
  ]) {
    const refused = await request("/v1/webhooks", { body });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    expect(refused.body.error.detail).not.toBe("");
  }
});

it.each([
  ["http://10.0.0.1/in", "the URL's address is not public"],
  ["hooks", "invalid URL. Use a complete URL, such as https://example.com/hooks"],
])("webhooks at %s are refused, and message and errors say what is wrong with the URL", async (url, problem) => {
  const { error } = (await request("/v1/webhooks", { body: { url } })).body;
  expect(error.message).toBe(`url is not allowed: ${problem}.`);
  expect(error.errors).toEqual([{ field: "url", problem: `is not allowed: ${problem}` }]);
});

it("webhooks list their deliveries in pages; unknown, foreign and malformed ids have none", async () => {
  const endpointId = newUlid(testEnv.now());
  const ulids = Array.from({ length: 5 }, () => newUlid(testEnv.now()));
  for (const eventUlid of ulids) {
    await deliveryStore(testEnv.table).recordFirst(
      tenant,
      {
        endpointId,
        eventUlid,
        eventType: "message.received",
        source: { conversationId: sampleConversationId(tenant), position: "p" },
      },
      {
        verdict: { status: "retrying", nextRetryAt: testEnv.now() + 5_000 },
        outcome: { kind: "answered", status: 503, retryAfter: null, durationMs: 3 },
        settledAt: testEnv.now(),
      },
    );
  }
  const first = await request(`/v1/webhooks/${endpointId}/deliveries?limit=3`);
  const second = await request(`/v1/webhooks/${endpointId}/deliveries?limit=3&cursor=${first.body.data.next_cursor}`);
  const all = [...first.body.data.deliveries, ...second.body.data.deliveries];
  expect(new Set(all.map((row: { delivery_id: string }) => row.delivery_id)).size).toBe(5);
  expect(second.body.data.next_cursor).toBeNull();
  const empty = { status: 200, body: { data: { deliveries: [], next_cursor: null } } };
  const stranger = await newKey(newTenant());
  expect(await request(`/v1/webhooks/${endpointId}/deliveries`, { key: stranger })).toMatchObject(empty);
  expect(await request("/v1/webhooks/%23/deliveries")).toMatchObject(empty);
  expect(await request(`/v1/webhooks/${newUlid(testEnv.now())}/deliveries`)).toMatchObject(empty);
});

const reply = (rest: object = {}, apiKey = key) =>
  request("/v1/messages/reply", {
    key: apiKey,
    body: { conversation_id: sampleConversationId(tenant), text: "hi", ...rest },
  });

it("a reply requires a text without attachments or an actor", async () => {
  for (const rest of [{ attachments: [] }, { actor_id: "u" }, { text: "" }, { text: 7 }, { conversation_id: "" }]) {
    expect(await reply(rest)).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  }
});

it("a reply to an account that is not connected is 404 account_not_found", async () => {
  await recordInbound("m1");
  expect(await reply()).toMatchObject({ status: 404, body: { error: { code: "account_not_found" } } });
  expect(await reply({}, await newKey(newTenant()))).toMatchObject({
    status: 404,
    body: { error: { code: "conversation_not_found" } },
  });
});

it("every route with a key is 401 without one", async () => {
  for (const { method, path, auth } of apiRoutes) {
    const response = await app.request(path.replace("{id}", "x"), { method });
    expect([method, path, response.status === 401]).toEqual([method, path, auth !== "none"]);
  }
});

it("every route with a key answers 429 with Retry-After after the requests of the minute", async () => {
  const caller = await authenticate(ports, `Bearer ${key}`, testEnv.now());
  if ("refused" in caller) throw new Error(caller.refused);
  await Promise.all(Array.from({ length: 600 }, () => enforceRateLimit(ports, caller, testEnv.now())));
  const refused = await request("/v1/accounts");
  expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
  expect(Number(refused.retryAfter)).toBe(60 - new Date(testEnv.now()).getUTCSeconds());
});

it("every route with a key is not required for ping and health", async () => {
  const ping = await (await app.request("/v1/ping")).json();
  expect(ping).toMatchObject({ ok: true, data: { name: "parley", time: iso(testEnv.now()) } });
  expect((await app.request("/health")).status).toBe(200);
  expect((await app.request("/")).status).toBe(404);
});

it("the front of a deployment without a website is 404 with its addresses, and for a browser a page that links to them", async () => {
  const { error } = (await (await app.request("/")).json()) as {
    error: { code: string; links: Record<string, string> };
  };
  expect(error.code).toBe("route_not_found");
  const base = ports.baseUrl;
  const own = { docs: `${base}/docs`, openapi: `${base}/openapi.json`, health: `${base}/health` };
  expect(error.links).toMatchObject({ ...own, console: `${ports.consoleOrigin}/app` });
  const page = await app.request("/", { headers: { accept: "text/html,*/*;q=0.8" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await page.text();
  for (const url of Object.values(error.links)) expect(html).toContain(`href="${url}"`);
});
