import { describe, expect, it } from "vitest";
import { CONSOLE, createTestApp, sessionAuth } from "./support/sample-routes.ts";

const { app } = createTestApp();
const corsHeaders = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-") || name === "vary"));

const readable = {
  "access-control-allow-origin": CONSOLE,
  "access-control-allow-credentials": "true",
  "access-control-expose-headers":
    "deprecation, idempotent-replayed, link, parley-ignored, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, sunset, x-correlation-id",
  vary: "origin",
};

it.each([
  ["of a route", "GET", "/v1/things?tenant=acme", sessionAuth, 200],
  ["that refuses the caller", "GET", "/v1/things", {}, 401],
  ["that refuses a forged write", "PATCH", "/v1/settings", { cookie: "console_session=ann" }, 403],
  ["of a fault", "GET", "/v1/faults/leak", {}, 500],
  ["to an unknown path", "GET", "/v1/nothing", {}, 404],
  ["to another method", "PUT", "/v1/things", {}, 405],
  ["that redirects", "GET", "/", {}, 301],
])("%s can be read by the console, and by no other origin", async (_, method, path, headers, status) => {
  const ask = (origin?: string) =>
    app.request(path, { method, headers: { ...headers, ...(origin === undefined ? {} : { origin }) } });
  const response = await ask(CONSOLE);
  expect([response.status, corsHeaders(response)]).toEqual([status, readable]);
  for (const origin of [undefined, "https://evil.example", "null", `${CONSOLE}.evil.example`, `${CONSOLE}:443`]) {
    expect(corsHeaders(await ask(origin)), origin).toEqual({ vary: "origin" });
  }
});

it("a response of a route without CORS has no such header", async () => {
  for (const method of ["GET", "POST", "OPTIONS"]) {
    const headers = { origin: CONSOLE, "access-control-request-method": "GET" };
    expect(corsHeaders(await app.request("/v1/facts", { method, headers })), method).toEqual({});
  }
});

describe("a preflight", () => {
  const ask = (path: string, headers: Record<string, string>) => app.request(path, { method: "OPTIONS", headers });
  const preflight = { origin: CONSOLE, "access-control-request-method": "PATCH" };

  it("a preflight of the console is answered with the methods of the path, for two hours", async () => {
    const response = await ask("/v1/things", preflight);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(response.headers.get("x-correlation-id")).toBeTruthy();
    expect(corsHeaders(response)).toEqual({
      ...readable,
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": "content-type, idempotency-key, x-csrf-token",
      "access-control-max-age": "7200",
    });
  });

  it("a preflight of another origin, and an OPTIONS request that is none, is a method that the path does not have", async () => {
    for (const headers of [{ ...preflight, origin: "https://evil.example" }, { origin: CONSOLE }, {}]) {
      const response = await ask("/v1/things", headers as Record<string, string>);
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
      expect(response.headers.get("access-control-allow-methods")).toBeNull();
    }
  });

  it("a preflight of a path that does not exist is 404", async () => {
    expect((await ask("/v1/nothing", preflight)).status).toBe(404);
  });
});
