import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonErrorPosition } from "#http/hints/json-position.ts";
import { nearestRoute } from "#http/hints/nearest-route.ts";
import { createTestApp, DOCS_URL, sampleRoutes, sessionAuth, tenantAuth } from "./support/sample-routes.ts";

const { app } = createTestApp();
const strictAuth = { authorization: "Bearer strict" };

interface Failure {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly docs_url: string;
    readonly errors?: unknown;
  };
}

const failureOf = async (pending: Response | Promise<Response>) => ((await (await pending).json()) as Failure).error;
const post = (headers: Record<string, string>, body: unknown, path = "/v1/things") =>
  app.request(path, { method: "POST", headers, body: JSON.stringify(body) });

it.each([
  ["an unknown path", "/nowhere", "route_not_found"],
  ["another method", "/intake", "method_not_allowed"],
  ["a missing credential", "/v1/things", "unauthorized"],
  ["a fault", "/v1/faults/error", "internal_error"],
])("the error of %s links to its code in the documentation of the deployment", async (_, path, code) => {
  expect(await failureOf(app.request(path))).toMatchObject({ code, docs_url: `${DOCS_URL}#${code}` });
});

it.each([
  ["GET", "/v1/thing", "GET /v1/things"],
  ["POST", "/v1/thigns", "POST /v1/things"],
  ["GET", "/things", "GET /v1/things"],
  ["GET", "/V1/Things", "GET /v1/things"],
  ["GET", "/v1/things/", "GET /v1/things"],
  ["GET", "/consle/me", "GET /console/me"],
])("an unknown path, %s %s, names the nearest route", async (method, path, route) => {
  const { message } = await failureOf(app.request(path, { method }));
  expect(message).toBe(`No route matches this path. Did you mean ${route}?`);
});

it.each([
  "/",
  "//",
  "/nowhere",
  "/v1",
  "/v2/other/words",
  `/v1/${"things".repeat(1_000)}`,
  `/v1${"/things".repeat(1_000)}`,
])("an unknown path without a near route names none: %s", (path) => {
  expect(nearestRoute(sampleRoutes.slice(0, 8), "GET", path)).toBeNull();
});

it("another method names those of the path in its message", async () => {
  const { message } = await failureOf(app.request("/v1/things", { method: "PATCH" }));
  expect(message).toBe("Method not allowed for this path. It takes GET, HEAD, POST.");
});

it.each([
  ["no credential", "GET /v1/things", {}, 'Bearer realm="parley"', "Missing API key or session."],
  [
    "an unknown key",
    "GET /v1/things",
    { authorization: "Bearer wrong" },
    'Bearer realm="parley", error="invalid_token", error_description="Unknown API key. Use an active key of this deployment."',
    "Unknown API key.",
  ],
  [
    "an ended session",
    "GET /v1/things",
    { cookie: "console_session=signedout" },
    'Bearer realm="parley", error="invalid_token", error_description="The session has ended. Sign in again."',
    "The session has ended.",
  ],
  [
    "a key where a session counts",
    "GET /console/me",
    tenantAuth,
    'Cookie realm="parley", cookie-name="console_session"',
    "Missing session.",
  ],
])("a 401 says with a challenge that a request has %s", async (_, route, headers, challenge, message) => {
  const [method = "", path = ""] = route.split(" ");
  const response = await app.request(path, { method, headers });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
  expect((await failureOf(response)).message).toContain(message);
});

it("a strict key gets a 400 that names each unknown parameter and field with the nearest known one", async () => {
  const query = await failureOf(app.request("/v1/things?limt=5&colour=red", { headers: strictAuth }));
  expect(query.errors).toEqual([
    { field: "limt", problem: "is unknown; the nearest name is limit" },
    { field: "colour", problem: "is unknown" },
  ]);
  const body = { text: "hi", attachements: [], attachments: [{ type: "a", typ: "b" }], "a secret of the caller": 1 };
  expect((await failureOf(post(strictAuth, body))).errors).toEqual([
    { field: "attachements", problem: "is unknown; the nearest name is attachments" },
    { field: "attachments[0].typ", problem: "is unknown; the nearest name is type" },
    { field: "?", problem: "is unknown" },
  ]);
});

it("a strict key passes what a route knows: the page, the tenant, optional fields, and the names of a free-form object", async () => {
  const list = await app.request("/v1/things?limit=5&tenant=acme&include_test=true", { headers: strictAuth });
  expect([list.status, list.headers.get("parley-ignored")]).toEqual([200, null]);
  const made = await post(strictAuth, { text: "hi", labels: { anything: 1 }, attachments: [{ type: "a" }] });
  expect([made.status, made.headers.get("parley-ignored")]).toEqual([201, null]);
  expect((await post(strictAuth, { label: "a" }, "/v1/keys")).status).toBe(200);
  expect((await post(strictAuth, { labl: "a" }, "/v1/keys")).status).toBe(400);
});

it.each([
  ["another key", tenantAuth],
  ["a session", sessionAuth],
])("%s gets the unknown names in the header Parley-Ignored", async (_, headers) => {
  const response = await post({ ...headers }, { text: "hi", attachements: [] }, "/v1/things?colour=red");
  expect([response.status, response.headers.get("parley-ignored")]).toEqual([201, "colour, attachements"]);
});

it("a request that is refused for a missing field gets the names that its route ignored", async () => {
  const response = await post({ ...tenantAuth }, { txt: "hi" }, "/v1/things?colour=red");
  expect([response.status, response.headers.get("parley-ignored")]).toEqual([400, "colour, txt"]);
  const list = await app.request("/v1/things?limit=no&lmit=5", { headers: tenantAuth });
  expect([list.status, list.headers.get("parley-ignored")]).toEqual([400, "lmit"]);
});

it("the header Parley-Ignored names five of the query and five of the body, and counts the others", async () => {
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const query = names("q", 6)
    .map((name) => `${name}=1`)
    .join("&");
  const body = { text: "hi", ...Object.fromEntries(names("f", 7).map((name) => [name, 1])) };
  const response = await post({ ...tenantAuth }, body, `/v1/things?${query}`);
  const header = [...names("q", 5), ...names("f", 5), "and 3 more"].join(", ");
  expect([response.status, response.headers.get("parley-ignored")]).toEqual([201, header]);
});

it("the place of an error in JSON is that of the parser, wherever the parser names one", () => {
  const json = fc.json({ maxDepth: 4 });
  fc.assert(
    fc.property(
      json,
      fc.nat(),
      fc.constantFrom("", "x", ",", '"', "}", "]", ":", "\\", "\n", "1", "\u0001"),
      (text, at, inserted) => {
        const index = at % (text.length + 1);
        const broken = text.slice(0, index) + inserted + text.slice(index + 1);
        const [parsed, place] = [parserMessage(broken), jsonErrorPosition(broken)];
        if (parsed === null) return;
        const position = /\(line (\d+) column (\d+)\)/.exec(parsed);
        if (position)
          expect([broken, place]).toEqual([
            broken,
            expect.stringContaining(`line ${position[1]}, column ${position[2]}`),
          ]);
        if (parsed.startsWith("Unexpected end"))
          expect([broken, place]).toEqual([broken, expect.stringContaining("too early")]);
      },
    ),
    { numRuns: 500 },
  );
});

function parserMessage(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
