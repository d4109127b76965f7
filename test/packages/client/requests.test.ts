import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { HttpClient, Parley, ParleyError, type ResponseInfo } from "#client";
import { takesTenant } from "../../../packages/client/src/operations.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { fail, ok, startScriptedServer } from "./support/scripted-server.ts";
import { TestClock } from "./support/test-clock.ts";

const server = openedOnce(startScriptedServer);
const parley = openedEach(async () => {
  server.play(ok({}));
  return new Parley({ baseUrl: `${server.url}/`, apiKey: "svc_live_secret", clock: new TestClock() });
});

test("a request has the key, and neither a content type nor a token without a body", async () => {
  await parley.conversations.list({ limit: 10, unanswered: true, platform: "instagram" });
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: "GET",
    url: "/v1/conversations?limit=10&unanswered=true&platform=instagram",
  });
  expect(request?.body).toHaveLength(0);
  expect(request?.headers).toMatchObject({ authorization: "Bearer svc_live_secret", accept: "application/json" });
  for (const name of ["content-type", "x-csrf-token", "cookie"]) expect(request?.headers).not.toHaveProperty(name);
});

test("a request sends a body as JSON, with field names as in the API", async () => {
  const reply = { conversation_id: "CONV#demo#instagram#1#2", text: "Grüße 👩🏽‍🚀" };
  await parley.messages.reply(reply, { idempotencyKey: "order-17" });
  const [request] = server.requests;
  expect(request).toMatchObject({ method: "POST", url: "/v1/messages/reply" });
  expect(request?.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": "order-17" });
  expect(JSON.parse(String(request?.body))).toEqual(reply);
});

test("a request encodes ids", async () => {
  await parley.conversations.get("CONV#demo#instagram#1#2");
  await parley.messages.get("m_a/b?c=d&é");
  expect(server.requests.map(({ url }) => url)).toEqual([
    "/v1/conversations/CONV%23demo%23instagram%231%232",
    "/v1/messages/m_a%2Fb%3Fc%3Dd%26%C3%A9",
  ]);
});

test.each(["", ".", "..", "\ud800"])("a request with the id %j is not sent", async (id) => {
  await expect(parley.messages.get(id)).rejects.toMatchObject({ code: "invalid_argument", status: null });
  expect(server.requests).toEqual([]);
});

test("a request whose body is not JSON is not sent", async () => {
  const reply = parley.messages.reply({ conversation_id: "c", text: 1n as never });
  await expect(reply).rejects.toMatchObject({ name: "ParleyError", code: "invalid_argument" });
  expect(server.requests).toEqual([]);
});

test("a request is not repeated because a callback throws", async () => {
  const onResponse = () => {
    throw new Error("The log is full.");
  };
  await expect(new Parley({ baseUrl: server.url, apiKey: "k", onResponse }).ping()).rejects.toThrow("The log is full.");
  expect(server.requests).toHaveLength(1);
});

test("a request goes below the path of the base URL", async () => {
  await new Parley({ baseUrl: `${server.url}/gateway/`, apiKey: "k" }).ping();
  expect(server.requests[0]?.url).toBe("/gateway/v1/ping");
});

test("a request reports each response", async () => {
  const responses: ResponseInfo[] = [];
  server.play(fail(503, { code: "internal_error" }), ok({}));
  const clock = new TestClock((delayMs) => delayMs < 1_000);
  await new Parley({
    baseUrl: server.url,
    apiKey: "k",
    clock,
    onResponse: (response) => responses.push(response),
  }).ping();
  expect(responses.map(({ operation, attempt, status }) => [operation, attempt, status])).toEqual([
    ["GET /v1/ping", 0, 503],
    ["GET /v1/ping", 1, 200],
  ]);
  expect(responses[0]?.headers.get("x-correlation-id")).toBe("cor_1");
});

test("a session repeats its CSRF token on writes only", async () => {
  const session = new HttpClient({ baseUrl: server.url, csrfToken: async () => "token-1" });
  await session.request("GET /console/me");
  await session.request("POST /console/auth/logout");
  expect(server.requests.map(({ headers }) => headers["x-csrf-token"])).toEqual([undefined, "token-1"]);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
});

describe("the tenant of the options", () => {
  const document = JSON.parse(
    readFileSync(fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url)), "utf8"),
  );
  interface OpenApiOperation {
    readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
  }
  const operations = Object.entries<Record<string, OpenApiOperation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [] }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      hasTenant: parameters.some(
        ({ name, $ref }) => name === "tenant" || $ref === "#/components/parameters/TenantSlug",
      ),
    })),
  );

  test("the tenant of the options is sent where the document has the parameter, and nowhere else", () => {
    const ofClient = operations.filter(({ name }) =>
      / \/(v1|console|verify|oauth\/\w+\/(pages|select|start))\b/.test(name),
    );
    expect(ofClient.length).toBeGreaterThan(45);
    const wrong = ofClient.filter(({ name, hasTenant }) => takesTenant(name) !== hasTenant);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("the tenant of the options gives way to the tenant of a call", async () => {
    const operator = new Parley({ baseUrl: server.url, apiKey: "k", tenant: "first" });
    await operator.stats.get();
    await operator.stats.get({ tenant: "second" });
    await operator.stats.get({ tenant: undefined });
    await operator.messages.reply({ conversation_id: "c", text: "Hello" });
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/v1/stats?tenant=first",
      "/v1/stats?tenant=second",
      "/v1/stats?tenant=first",
      "/v1/messages/reply",
    ]);
  });
});

test("202 is data like 200", async () => {
  const removed = { conversation: 1, messages: 200 };
  server.play(ok({ done: false, removed }, 202), ok({ hold: { id: "hold_1" } }, 202));
  expect(await parley.conversations.erase("c")).toEqual({ done: false, removed });
  const held = parley.messages.sendAsHumanAgent({ conversation_id: "c", text: "Hello", actor_id: "amy" });
  expect(await held).toEqual({ hold: { id: "hold_1" } });
});

test("a response that is a failure has everything that the API says", async () => {
  const errors = [{ field: "attachments[0].url", problem: "must be an https URL" }];
  const docsUrl = "https://parley.example/docs/errors#invalid_request";
  const failure = {
    ...{ code: "invalid_request", message: "Invalid field.", detail: "attachments", errors },
    docs_url: docsUrl,
  };
  server.play(fail(400, failure, { "retry-after": "4" }));
  const error = await parley.messages.reply({ conversation_id: "c" }).catch((reason) => reason);
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toBeInstanceOf(Error);
  expect({ ...error, message: error.message, name: error.name }).toEqual({
    name: "ParleyError",
    message: "Invalid field.",
    code: "invalid_request",
    status: 400,
    detail: "attachments",
    correlationId: "cor_1",
    retryAfter: 4,
    errors,
    docsUrl,
  });
});

test.each([undefined, null, 7, "", "javascript:alert(1)", "//parley.example/docs"])(
  "a failure whose docs_url is %j has no docsUrl",
  async (docsUrl) => {
    server.play(fail(403, { code: "forbidden", docs_url: docsUrl }));
    const error = await parley.messages.reply({ conversation_id: "c" }).catch((reason) => reason);
    expect(error).toMatchObject({ code: "forbidden", docsUrl: null });
  },
);

test("a response of the platform's refusal is not repeated", async () => {
  server.play(fail(502, { code: "send_failed", detail: "outcome_unknown" }), ok({}));
  const reply = parley.messages.reply({ conversation_id: "c", text: "Hello" });
  await expect(reply).rejects.toMatchObject({ code: "send_failed", status: 502, detail: "outcome_unknown" });
  expect(server.requests).toHaveLength(1);
});

test("the key is in no printed client and in no error", async () => {
  server.play(fail(401, { code: "unauthorized" }));
  const error = await parley.ping().catch((reason) => reason);
  for (const value of [parley, error]) {
    expect(`${inspect(value, { depth: 9, showHidden: true })}${JSON.stringify(value)}`).not.toContain(
      "svc_live_secret",
    );
  }
});

test("a client without a URL is refused outside a browser", () => {
  expect(() => new Parley({ apiKey: "k" })).toThrow("Missing baseUrl.");
  expect(() => new Parley({ baseUrl: "parley.example.com", apiKey: "k" })).toThrow("Missing baseUrl.");
});
