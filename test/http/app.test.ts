import { expect, it } from "vitest";
import { isUlid } from "#base/kernel/ids.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { callerActor } from "#features/access/rules/callers.ts";
import { createTestApp, NOW, operatorAuth, readVerdict, tenantAuth } from "./support/sample-routes.ts";

const { app } = createTestApp();
const id = encodeURIComponent("CONV#acme#instagram#1#2");

it("a response is the success envelope with a correlation id and no-store", async () => {
  const response = await app.request(`/v1/things/${id}`, { headers: tenantAuth });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ok: true, data: { id: "CONV#acme#instagram#1#2", tenant: "acme" } });
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  expect(isUlid(response.headers.get("x-correlation-id") ?? "")).toBe(true);
});

it("a response uses the gateway's request id as correlation id, and a ULID when that is not a valid header value", async () => {
  const response = await app.request("/v1/facts", {}, { requestId: "JKJaXmPLvHcESHA=" });
  expect(response.headers.get("x-correlation-id")).toBe("JKJaXmPLvHcESHA=");
  const odd = await app.request("/v1/facts", {}, { requestId: "a\r\nb" });
  expect(isUlid(odd.headers.get("x-correlation-id") ?? "")).toBe(true);
});

it("a response has the declared status, or 202 while work continues in the background", async () => {
  const json = { ...tenantAuth, "content-type": "application/json" };
  const response = await app.request("/v1/things", { method: "POST", headers: json, body: '{"text":"hi"}' });
  expect(response.status).toBe(201);
  expect((await app.request("/v1/things/small", { method: "DELETE", headers: tenantAuth })).status).toBe(200);
  expect((await app.request("/v1/things/large", { method: "DELETE", headers: tenantAuth })).status).toBe(202);
});

it("a response carries a refusal's detail", async () => {
  const refused = app.request("/v1/things", { method: "POST", headers: tenantAuth, body: '{"text":"refuse me"}' });
  expect(await readVerdict(refused)).toEqual([502, "send_failed", "upstream refused"]);
});

it("a response without an envelope is the handler's own, with the common headers", async () => {
  const response = await app.request("/?a=1&b=%20");
  expect(response.status).toBe(301);
  expect(response.headers.get("location")).toBe("https://site.example/?a=1&b=%20");
  expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2; Path=/"]);
  expect(response.headers.get("x-correlation-id")).toBeTruthy();
});

it("a response is built from one clock reading and the gateway's client address, not a header's", async () => {
  const headers = { "x-forwarded-for": "198.51.100.9" };
  const sourceIpSeen = async (edge: { sourceIp?: string }) =>
    ((await (await app.request("/v1/facts", { headers }, edge)).json()) as { data: object }).data;
  expect(await sourceIpSeen({ sourceIp: "192.0.2.7" })).toEqual({
    ip: "192.0.2.7",
    method: "GET",
    cookie: null,
    now: NOW,
  });
  expect(await sourceIpSeen({})).toMatchObject({ ip: null });
});

it.each(["/nowhere", "/v1", "/v1/things/", "/v1/things/a/b", "//", "/V1/things"])(
  "routing answers 404 at %s",
  async (path) => {
    expect(await readVerdict(app.request(path, { headers: tenantAuth }))).toEqual([404, "route_not_found", ""]);
  },
);

it("routing answers 404 for an unknown path before it checks the key", async () => {
  expect(await readVerdict(app.request("/nowhere"))).toEqual([404, "route_not_found", ""]);
});

it.each([
  ["PATCH", "/v1/things", "GET, HEAD, POST"],
  ["OPTIONS", "/v1/things/abc", "DELETE, GET, HEAD"],
  ["POST", "/v1/things/special", "DELETE, GET, HEAD"],
  ["GET", "/intake", "POST"],
])("routing answers 405 to %s %s with Allow: %s", async (method, path, allow) => {
  const response = await app.request(path, { method });
  expect(response.headers.get("allow")).toBe(allow);
  expect(await readVerdict(response)).toEqual([405, "method_not_allowed", ""]);
});

it("routing prefers a literal segment, regardless of the order of declaration", async () => {
  const response = await app.request("/v1/things/special", { headers: tenantAuth });
  expect(await response.json()).toEqual({ ok: true, data: { special: true } });
});

it("routing answers HEAD as GET without a body", async () => {
  const response = await app.request("/v1/facts", { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-correlation-id")).toBeTruthy();
  expect(await response.text()).toBe("");
});

it.each([
  [undefined, "no_credential"],
  ["", "wrong_scheme"],
  ["Basic bound", "wrong_scheme"],
  ["Bearer ?", "malformed_key"],
  ["Bearer wrong", "unknown_key"],
])("the key and the tenant answers 401 with its cause to the Authorization %s", async (authorization, cause) => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  expect(await readVerdict(app.request("/v1/things", { headers }))).toEqual([401, "unauthorized", cause]);
});

it.each([
  [tenantAuth, "", 200, "ok"],
  [tenantAuth, "?tenant=acme", 200, "ok"],
  [tenantAuth, "?tenant=globex", 403, "forbidden"],
  [tenantAuth, "?tenant=Acme", 400, "invalid_request"],
  [tenantAuth, "?tenant=", 400, "invalid_request"],
  [tenantAuth, "?tenant=ab", 400, "invalid_request"],
  [tenantAuth, "?tenant=acme%0A", 400, "invalid_request"],
  [tenantAuth, "?tenant=acme&tenant=acme", 400, "invalid_request"],
  [operatorAuth, "", 400, "tenant_required"],
  [operatorAuth, "?tenant=acme", 200, "ok"],
  [operatorAuth, "?tenant=initech", 403, "forbidden"],
  [operatorAuth, "?tenant=x", 400, "invalid_request"],
])("%o with %s is %i %s", async (headers, query, status, code) => {
  expect((await readVerdict(app.request(`/v1/things${query}`, { headers }))).slice(0, 2)).toEqual([status, code]);
});

it("the key and the tenant refuses an operator key for a suspended tenant with another message than for a foreign one", async () => {
  const message = async (tenant: string) => {
    const response = await app.request(`/v1/things?tenant=${tenant}`, { headers: operatorAuth });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    return [response.status, error.code, error.message];
  };
  expect(await message("paused-shop")).toEqual([403, "forbidden", expect.stringContaining("This tenant is suspended")]);
  expect(await message("initech")).toEqual([403, "forbidden", expect.stringContaining("No access to the tenant")]);
});

it("the key and the tenant answers 401 before it validates tenant, parameters or body", async () => {
  expect((await readVerdict(app.request("/v1/things?tenant=X&limit=0")))[0]).toBe(401);
});

it("the key and the tenant requires no tenant of an operator key where the resource determines it", async () => {
  const response = app.request("/v1/things", { method: "POST", headers: operatorAuth, body: '{"text":"hi"}' });
  expect((await readVerdict(response))[0]).toBe(201);
});

const paceOf = ({ headers }: Response) =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`));

it("the rate limit of a key answers 429 rate_limited with Retry-After before tenant and parameters are validated, and counts only valid keys", async () => {
  const counted: string[] = [];
  const { app } = createTestApp(async (caller) => {
    counted.push(callerActor(caller));
    const refusal = refuse("too_many_requests", undefined, 17);
    return { limit: 600, remaining: 0, resetSeconds: 17, refusal };
  });
  const response = await app.request("/v1/things?limit=0", { headers: operatorAuth });
  expect(response.headers.get("retry-after")).toBe("17");
  expect(paceOf(response)).toEqual(["600", "0", "17"]);
  expect(await readVerdict(response)).toEqual([429, "rate_limited", ""]);
  await app.request("/v1/things", { headers: { authorization: "Bearer wrong" } });
  expect((await app.request("/v1/facts")).status).toBe(200);
  expect(counted).toEqual(["operator:k3"]);
});

it("the pace of a key is in each answer to a valid key, refused or not, and in no other", async () => {
  const { app } = createTestApp(async () => ({ limit: 600, remaining: 598, resetSeconds: 42, refusal: null }));
  for (const path of ["/v1/things", "/v1/things?limit=0", "/v1/things?tenant=globex"]) {
    expect(paceOf(await app.request(path, { headers: tenantAuth })), path).toEqual(["600", "598", "42"]);
  }
  const unlimited = [null, null, null];
  expect(paceOf(await app.request("/v1/things", { headers: { authorization: "Bearer wrong" } }))).toEqual(unlimited);
  expect(paceOf(await app.request("/v1/facts"))).toEqual(unlimited);
});

it("the pace of a key is also in the answer of a fault, and of a handler that exceeds the deadline", async () => {
  const { app } = createTestApp(async () => ({ limit: 600, remaining: 598, resetSeconds: 42, refusal: null }));
  for (const kind of ["error", "hang"]) {
    const response = await app.request(`/v1/faults/things/${kind}`, { headers: tenantAuth }, { remaining: 20 });
    expect([response.status, paceOf(response)], kind).toEqual([500, ["600", "598", "42"]]);
  }
});

it("a tenant of another key is named as such, and as one that does not exist", async () => {
  const { app } = createTestApp();
  const messages = ["globex", "unknown"].map(async (tenant) => {
    const response = await app.request(`/v1/things?tenant=${tenant}`, { headers: tenantAuth });
    return ((await response.json()) as { error: { message: string } }).error.message;
  });
  const message =
    "No access to the tenant in ?tenant=. Use a key of that tenant, or a tenant of this key or of this user.";
  expect(await Promise.all(messages)).toEqual([message, message]);
});

it.each([
  ["error", "SecretLeak"],
  ["text", "string"],
  ["odd-name", "unknown"],
  ["extra-field", "SchemaMismatch"],
])(
  "a fault of kind %s is the 500 envelope and one log line with the class %s and no caller data",
  async (kind, error) => {
    const { app, logLines: lines } = createTestApp();
    const response = await app.request(`/v1/faults/${kind}?q=canary`, {}, { requestId: "r-1" });
    expect(await readVerdict(response)).toEqual([500, "internal_error", ""]);
    expect(lines).toEqual([{ event: "request.failed", operation: "fail", correlation_id: "r-1", error }]);
    expect(JSON.stringify(lines)).not.toContain("canary");
  },
);

it("a fault in the rate limit of the key is the 500 envelope", async () => {
  const { app, logLines: lines } = createTestApp(async () => Promise.reject(new RangeError("canary")));
  expect(await readVerdict(app.request("/v1/things", { headers: tenantAuth }))).toEqual([500, "internal_error", ""]);
  expect(lines.map((line) => line.error)).toEqual(["RangeError"]);
});

it("a fault is raised for a handler that exceeds the deadline", async () => {
  const { app, logLines: lines } = createTestApp();
  const response = app.request("/v1/faults/hang", {}, { remaining: 20 });
  expect(await readVerdict(response)).toEqual([500, "internal_error", ""]);
  expect(lines.map((line) => line.error)).toEqual(["OutOfTime"]);
});
