import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { expect, it } from "vitest";
import { lambdaHandler } from "#http/lambda.ts";
import { createTestApp } from "./support/sample-routes.ts";

type EventOptions = Partial<Omit<APIGatewayProxyEventV2, "requestContext">> & { method?: string; sourceIp?: string };

/** An event as an HTTP API builds it: decoded path, lowercase header names. */
function gatewayEvent({ method = "GET", sourceIp = "192.0.2.7", ...rest }: EventOptions): APIGatewayProxyEventV2 {
  const rawPath = rest.rawPath ?? "/";
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString: "",
    headers: { authorization: "Bearer bound", host: "evil.example" },
    isBase64Encoded: false,
    requestContext: {
      accountId: "000000000000",
      apiId: "api",
      domainName: "api.example.com",
      domainPrefix: "api",
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp, userAgent: "test" },
      requestId: "JKJaXmPLvHcESHA=",
      routeKey: "$default",
      stage: "$default",
      time: "04/May/2026:10:00:00 +0000",
      timeEpoch: 1_777_888_800_000,
    },
    ...rest,
  };
}

function setup(remainingMs = 10_000) {
  const { app, logLines: lines } = createTestApp();
  const handler = lambdaHandler(app, (line) => lines.push(line));
  const call = (options: EventOptions) =>
    handler(gatewayEvent(options), { getRemainingTimeInMillis: () => remainingMs });
  return { call, lines };
}
const { call } = setup();

function readVerdict(result: APIGatewayProxyStructuredResultV2): [number | undefined, string] {
  expect(result.headers?.["x-correlation-id"]).toBe("JKJaXmPLvHcESHA=");
  expect(result.headers?.["x-content-type-options"]).toBe("nosniff");
  const body = JSON.parse(result.body ?? "") as { ok: boolean; error?: { code: string } };
  return [result.statusCode, body.error?.code ?? "ok"];
}

it("a path decoded by the gateway passes an id with # to the route as one parameter, followed by the query", async () => {
  const result = await call({ rawPath: "/v1/things/CONV#acme#instagram#1#2", rawQueryString: "tenant=acme" });
  expect(JSON.parse(result.body ?? "")).toEqual({
    ok: true,
    data: { id: "CONV#acme#instagram#1#2", tenant: "acme" },
  });
  expect(readVerdict(await call({ rawPath: "/v1/things/CONV#acme#1", rawQueryString: "tenant=globex" }))[0]).toBe(403);
});

it("a path decoded by the gateway is decoded once: a sent %2523 is the text %23, not #", async () => {
  expect(readVerdict(await call({ rawPath: "/v1/things/CONV%23acme%231" }))).toEqual([404, "conversation_not_found"]);
});

it.each([
  ["CONV#globex#instagram#1#2", "conversation_not_found"],
  ["CONV", "conversation_not_found"],
  ["%", "conversation_not_found"],
  ["%zz", "conversation_not_found"],
  ["%ff", "conversation_not_found"],
  ["%E0%A4%A", "conversation_not_found"],
  ["..", "conversation_not_found"],
  [".", "conversation_not_found"],
  ["%2e%2e", "conversation_not_found"],
  ["\u0000", "conversation_not_found"],
  ["a?b=c", "conversation_not_found"],
  ["a\\b", "conversation_not_found"],
  ["\n", "conversation_not_found"],
  ["__proto__", "conversation_not_found"],
  ["Ame\u0301lie", "conversation_not_found"],
  ["\ud800", "conversation_not_found"],
  ["😀".repeat(5_000), "conversation_not_found"],
  ["CONV#acme#a/b", "route_not_found"],
  ["../keys", "route_not_found"],
  ["", "route_not_found"],
])("a path decoded by the gateway with the id %j is 404 %s", async (id, code) => {
  expect(readVerdict(await call({ rawPath: `/v1/things/${id}` }))).toEqual([404, code]);
});

it("a path decoded by the gateway never reaches another route through dot segments", async () => {
  expect(readVerdict(await call({ rawPath: "/v1/things/../facts" }))).toEqual([404, "route_not_found"]);
  expect(readVerdict(await call({ rawPath: "/v1/keys/../facts" }))).toEqual([404, "route_not_found"]);
});

it("a path decoded by the gateway without a leading slash is read as if it had one", async () => {
  expect((await call({ rawPath: "" })).statusCode).toBe(301);
});

it("the rest of an event keeps the query string as sent, a repeated parameter included", async () => {
  expect(readVerdict(await call({ rawPath: "/v1/things", rawQueryString: "limit=1&limit=1" }))).toEqual([
    400,
    "invalid_request",
  ]);
  expect((await call({ rawQueryString: "a=%23&b=x#y" })).headers?.location).toBe("https://site.example/?a=%23&b=x%23y");
});

it("the rest of an event is a body as text or as base64", async () => {
  const post = { rawPath: "/v1/things", method: "POST" };
  expect(readVerdict(await call({ ...post, body: '{"text":"é"}' }))[0]).toBe(201);
  const body = Buffer.from('{"text":"é"}').toString("base64");
  const result = await call({ ...post, body, isBase64Encoded: true });
  expect(JSON.parse(result.body ?? "")).toMatchObject({ data: { text: "é" } });
  expect(readVerdict(await call({ ...post, body }))).toEqual([400, "invalid_request"]);
  expect(readVerdict(await call(post))).toEqual([400, "invalid_request"]);
  expect(readVerdict(await call({ ...post, body: "x".repeat(256 * 1024 + 1) }))).toEqual([413, "payload_too_large"]);
  expect(readVerdict(await call({ rawPath: "/v1/facts", body: "a GET with a body" }))[0]).toBe(200);
});

it("the rest of an event is the joined cookies and the gateway's client address, regardless of the headers", async () => {
  const headers = { "x-forwarded-for": "198.51.100.9", forwarded: "for=198.51.100.9" };
  const result = await call({ rawPath: "/v1/facts", headers, cookies: ["a=1", "b=2"] });
  expect(JSON.parse(result.body ?? "").data).toMatchObject({ ip: "192.0.2.7", cookie: "a=1; b=2" });
});

it.each(["console_session=\u0161", "console_session=\u{1f600}", "console_session=a\r\nb", "\u2003console_session=ann"])(
  "an event with the cookie %j is 401, never a fault",
  async (cookie) => {
    expect(readVerdict(await call({ rawPath: "/v1/things", headers: {}, cookies: [cookie] }))).toEqual([
      401,
      "unauthorized",
    ]);
  },
);

it("the rest of an event with two session cookies is 401, as the gateway lists them", async () => {
  const cookies = ["console_session=ann", "console_session=ann"];
  expect(readVerdict(await call({ rawPath: "/console/me", headers: {}, cookies: cookies.slice(1) }))[0]).toBe(200);
  expect(readVerdict(await call({ rawPath: "/console/me", headers: {}, cookies }))).toEqual([401, "unauthorized"]);
});

it.each(["Bearer bound,Bearer bound", "Bearer \u{1f600}", "Bearer\nbound", " Bearer bound x"])(
  "an event with the Authorization %j is 401, never a fault",
  async (authorization) => {
    expect(readVerdict(await call({ rawPath: "/v1/things", headers: { authorization } }))).toEqual([
      401,
      "unauthorized",
    ]);
  },
);

it.each(["TRACE", "trace", "CONNECT", "TRACK", "PROPFIND", "not a method", ""])(
  "the rest of an event answers the method %j with 405 and Allow, and 404 at an unknown path",
  async (method) => {
    const result = await call({ rawPath: "/v1/facts", method, body: "x" });
    expect(readVerdict(result)).toEqual([405, "method_not_allowed"]);
    expect(result.headers?.allow).toBe("GET, HEAD");
    expect(readVerdict(await call({ rawPath: "/nowhere", method }))).toEqual([404, "route_not_found"]);
  },
);

it("the rest of an event answers HEAD without a body, and an unknown method with 405", async () => {
  const head = await call({ rawPath: "/v1/facts", method: "HEAD" });
  expect([head.statusCode, head.body, head.isBase64Encoded]).toEqual([200, "", false]);
  expect(readVerdict(await call({ rawPath: "/v1/facts", method: "OPTIONS" }))).toEqual([405, "method_not_allowed"]);
});

it("a result lists its cookies apart from the headers", async () => {
  const result = await call({ rawPath: "/" });
  expect(result.cookies).toEqual(["a=1; Path=/", "b=2; Path=/"]);
  expect(result.headers).not.toHaveProperty("set-cookie");
});

it("a result is base64 when it is not text", async () => {
  const body = Buffer.from([0, 255, 128]).toString("base64");
  const result = await call({
    rawPath: "/intake",
    method: "POST",
    headers: { "x-signed": "yes" },
    body,
    isBase64Encoded: true,
  });
  expect([result.isBase64Encoded, result.body]).toEqual([true, body]);
});

it.each([
  ["br, gzip", 1025, "br"],
  ["gzip", 1025, "gzip"],
  ["gzip, deflate, br;q=0", 1025, "gzip"],
  ["BR", 1025, "br"],
  ["br", 1024, undefined],
  ["br;q=0", 1025, undefined],
  ["identity", 1025, undefined],
  ["", 1025, undefined],
])("a result for %j and %i bytes of JSON has the content coding %s", async (accepted, bytes, coding) => {
  const headers = { "accept-encoding": accepted };
  const result = await call({ rawPath: "/v1/large", rawQueryString: `bytes=${bytes}`, headers });
  expect(result.headers?.["content-encoding"]).toBe(coding);
  const raw = Buffer.from(result.body ?? "", result.isBase64Encoded ? "base64" : "utf8");
  const plain = coding === "br" ? brotliDecompressSync(raw) : coding === "gzip" ? gunzipSync(raw) : raw;
  expect(plain.byteLength).toBe(bytes);
  expect(JSON.parse(plain.toString()).ok).toBe(true);
  expect(result.headers?.vary).toBe(bytes > 1024 ? "accept-encoding" : undefined);
});

it("a function that runs out of time answers with the 500 envelope half a second before its timeout", async () => {
  const { call, lines } = setup(530);
  const started = performance.now();
  expect(readVerdict(await call({ rawPath: "/v1/faults/hang" }))).toEqual([500, "internal_error"]);
  const elapsed = performance.now() - started;
  expect(elapsed).toBeGreaterThanOrEqual(25);
  expect(elapsed).toBeLessThan(530);
  expect(lines).toEqual([
    {
      event: "request.failed",
      operation: "fail",
      correlation_id: "JKJaXmPLvHcESHA=",
      error: "OutOfTime",
    },
  ]);
});

it("a function that runs out of time answers at once when less time is left", async () => {
  expect(readVerdict(await setup(100).call({ rawPath: "/v1/faults/hang" }))).toEqual([500, "internal_error"]);
});

it("a function that runs out of time answers an unreadable event with the envelope and logs it once", async () => {
  const { call, lines } = setup();
  const event = { rawPath: "/v1/facts", headers: { "not a name": "x" } };
  expect(readVerdict(await call(event))).toEqual([500, "internal_error"]);
  expect(lines.map(({ operation, error }) => [operation, error])).toEqual([["unknown", "TypeError"]]);
});

const headersOf = (proto: string) => ({ authorization: "Bearer bound", "x-forwarded-proto": proto });

it.each([
  ["an answer", "/v1/facts", 10_000, 200],
  ["a refusal", "/v1/no-such-route", 10_000, 404],
  ["the fault of a function that is out of time", "/v1/faults/hang", 600, 500],
])(
  "%s over https says that browsers call the host only over https, and over http it does not",
  async (_what, rawPath, remaining, status) => {
    const { call: callWithin } = setup(remaining);
    const secure = await callWithin({ rawPath, headers: headersOf("https") });
    expect(secure.headers).toMatchObject({ "strict-transport-security": "max-age=63072000" });
    const local = await callWithin({ rawPath, headers: headersOf("http") });
    expect([secure.statusCode, local.statusCode]).toEqual([status, status]);
    expect(local.headers).not.toHaveProperty("strict-transport-security");
  },
);

it("an event that cannot be read gets a fault over https that says so, too", async () => {
  const event = { ...gatewayEvent({ headers: headersOf("https") }), rawPath: undefined } as never;
  const { app } = createTestApp();
  const result = await lambdaHandler(app, () => {})(event, { getRemainingTimeInMillis: () => 10_000 });
  expect(result.statusCode).toBe(500);
  expect(result.headers).toMatchObject({ "strict-transport-security": "max-age=63072000" });
});
