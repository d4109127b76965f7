import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { type Exchange, exchangeChecker } from "./check-exchange.ts";
import { closeSchema } from "./closed-schemas.ts";
import { type ApiDocument, readServedDocument, type Schema } from "./document.ts";
import { createApp } from "./observed-app.ts";
import { takeProblems } from "./problems.ts";

const failure = (code: Schema): Schema => ({
  allOf: [{ $ref: "#/components/schemas/Failure" }, { properties: { error: { properties: { code } } } }],
});
const json = (schema: Schema) => ({ content: { "application/json": { schema } } });
const document = {
  paths: {
    "/things/{id}": {
      get: {
        operationId: "getThing",
        parameters: [{ name: "size", in: "query", required: true, schema: { type: "integer" } }],
        responses: {
          200: {
            headers: { "x-correlation-id": { required: true, schema: { type: "string" } } },
            ...json({
              type: "object",
              properties: {
                ok: { const: true },
                data: { anyOf: [{ type: "null" }, { $ref: "#/components/schemas/Thing" }] },
              },
              required: ["ok", "data"],
            }),
          },
          404: json(failure({ enum: ["thing_not_found"] })),
        },
      },
      put: {
        operationId: "putThing",
        requestBody: {
          required: true,
          ...json({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
        },
        responses: { 204: {} },
      },
    },
    "/things/all": { get: { operationId: "listThings", responses: { 204: {} } } },
  },
  components: {
    schemas: {
      Thing: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      Failure: {
        type: "object",
        properties: {
          ok: { const: false },
          error: {
            type: "object",
            properties: { code: { type: "string" }, detail: { type: "string" } },
            required: ["code"],
          },
        },
        required: ["ok", "error"],
      },
    },
  },
} as unknown as ApiDocument;
const check = exchangeChecker(document);

const common = { "x-correlation-id": "c", "x-content-type-options": "nosniff" };
const answered = (status: number, body: unknown, rest: Partial<Exchange> = {}): Exchange => ({
  method: "GET",
  url: "/things/1?size=2",
  requestHeaders: new Headers(),
  requestBody: null,
  status,
  headers: new Headers({
    ...common,
    ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
  }),
  body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
  ...rest,
});
const thing = { ok: true, data: { name: "a" } };
const failed = (code: string, rest = {}) => ({ ok: false, error: { code, ...rest } });

/** As the gateway answers. */
const bare = { headers: new Headers({ "content-type": "application/json" }) };

it("an answer as declared has no problem", () => {
  expect(check(answered(200, thing))).toEqual([]);
  expect(check(answered(200, { ok: true, data: null }))).toEqual([]);
  expect(check(answered(404, failed("thing_not_found", { detail: "" })))).toEqual([]);
  expect(check(answered(204, undefined, { url: "/things/all" }))).toEqual([]);
  expect(check(answered(204, undefined, { method: "PUT", requestBody: Buffer.from('{"name":"b","more":1}') }))).toEqual(
    [],
  );
});

it("an answer as declared of the gateway or the router, outside the document, has none either", () => {
  expect(check(answered(404, { message: "Not Found" }, bare))).toEqual([]);
  expect(check(answered(503, { message: "Service Unavailable" }, { ...bare, url: "/nothing" }))).toEqual([]);
  expect(check(answered(404, failed("route_not_found"), { url: "/nothing" }))).toEqual([]);
  expect(check(answered(405, failed("method_not_allowed"), { method: "DELETE" }))).toEqual([]);
  expect(check(answered(204, undefined, { method: "OPTIONS" }))).toEqual([]);
  expect(check(answered(404, failed("route_not_found"), { url: "/things/1/2" }))).toEqual([]);
});

describe("the check reports", () => {
  it.each([
    ["a status that is not declared", answered(403, failed("forbidden")), "the status 403 is not declared (forbidden)"],
    [
      "a status of the gateway that the operation does not declare",
      answered(503, { message: "Service Unavailable" }, bare),
      "the status 503 is not declared",
    ],
    [
      "a code that is not declared",
      answered(404, failed("user_not_found")),
      '/error/code is "user_not_found", which is not declared',
    ],
    [
      "a field that is not declared",
      answered(200, { ok: true, data: { name: "a", secret: 1 } }),
      "/data has the undeclared field secret",
    ],
    [
      "a field of the envelope that is not declared",
      answered(200, { ...thing, more: 1 }),
      "has the undeclared field more",
    ],
    [
      "a field of an error that is not declared",
      answered(404, failed("thing_not_found", { more: 1 })),
      "/error has the undeclared field more",
    ],
    ["a missing field", answered(200, { ok: true, data: {} }), "/data must have required property 'name'"],
    ["another type", answered(200, { ok: true, data: { name: 1 } }), "/data/name must be string"],
    [
      "a missing header",
      answered(200, thing, { headers: new Headers({ "content-type": "application/json" }) }),
      "the header x-correlation-id is missing",
    ],
    [
      "a missing header of every response",
      answered(200, thing, { headers: new Headers({ "x-correlation-id": "c", "content-type": "application/json" }) }),
      "the header x-content-type-options is missing",
    ],
    [
      "a header that is not declared",
      answered(404, failed("thing_not_found"), {
        headers: new Headers({ "content-type": "application/json", "retry-after": "1" }),
      }),
      "the header retry-after is not declared",
    ],
    [
      "a content type that is not declared",
      answered(200, thing, { headers: new Headers({ ...common, "content-type": "text/html" }) }),
      'the content type "text/html" of 200 is not declared',
    ],
    [
      "a body that is not declared",
      answered(204, thing, { url: "/things/all" }),
      'the content type "application/json" of 204 is not declared',
    ],
    ["a missing body", answered(404, undefined), "404 has no body"],
    ["a body that is not JSON", answered(200, 1, { body: Buffer.from("<html>") }), "the body is not JSON"],
    ["a path that is not declared", answered(200, thing, { url: "/other" }), "the document has no such path"],
    ["a method that is not declared", answered(200, thing, { method: "POST" }), "the document has no such method"],
    [
      "an accepted query of another type",
      answered(200, thing, { url: "/things/1?size=x" }),
      "parameter size: must be integer",
    ],
    [
      "an accepted query without a parameter",
      answered(200, thing, { url: "/things/1" }),
      "the parameter size is missing",
    ],
    [
      "an accepted body without a field",
      answered(204, undefined, { method: "PUT", requestBody: Buffer.from("{}") }),
      "request: must have required property 'name'",
    ],
    [
      "an accepted request without its body",
      answered(204, undefined, { method: "PUT" }),
      "the body of the request is missing",
    ],
  ])("the check of an exchange reports %s", (_, exchange, problem) => {
    expect(check(exchange)).toContain(problem);
  });
});

it("a closed schema leaves open what the document opens", () => {
  const open = { type: "object", properties: { a: { type: "object", additionalProperties: { type: "string" } } } };
  expect(closeSchema(document, open)).toEqual({ ...open, additionalProperties: false });
  expect(closeSchema(document, { ...open, additionalProperties: {} })).toEqual({ ...open, additionalProperties: {} });
});

describe("the served document", () => {
  const endpoint = endpointsFor<object>();
  const ask = async (path: string, handle: () => Promise<HttpResponse | ReturnType<typeof refuse>>) => {
    const route = endpoint.public({
      operation: "o",
      method: "GET",
      path,
      summary: "",
      tag: "",
      envelope: false,
      refusals: ["hold_not_found"],
      handle: handle as never,
    });
    const app = createApp({ endpoints: [route], ports: {}, credentials: noCredentials, now: () => 0, log: () => {} });
    await (await app.request(path)).text();
    return takeProblems();
  };

  it("the served document closes each of its answers, and a test that meets another one fails", async () => {
    const ping = (data: object, status = 200) =>
      ask("/v1/ping", async () => HttpResponse.json({ ok: true, data }, { status }));
    expect(await ping({ leaked: "x" })).toContain("GET /v1/ping → 200: /data has the undeclared field leaked");
    expect(await ping({}, 418)).toEqual(["GET /v1/ping → 418: the status 418 is not declared"]);
    expect(await ask("/v1/ping", async () => refuse("hold_not_found"))).toEqual([
      "GET /v1/ping → 404: the status 404 is not declared (hold_not_found)",
    ]);
    expect(await ask("/v1/secret", async () => HttpResponse.json({ ok: true }))).toEqual([
      "GET /v1/secret → 200: the document has no such path",
    ]);
  });

  it("the served document has no schema that cannot be closed", () => {
    const served = readServedDocument();
    const schemas = Object.values(served.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ responses = {} }) =>
        Object.values(responses).flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema)),
      ),
    );
    expect(schemas.length).toBeGreaterThan(60);
    for (const schema of schemas) expect(() => closeSchema(served, schema)).not.toThrow();
  });
});

it("each app of the routes is observed", () => {
  const tests = fileURLToPath(new URL("../../", import.meta.url));
  const createsApp = /^import \{[^}]*\bcreateApp\b[^}]*\} from "#http\/app\.ts";$/m;
  const unobserved = globSync("**/*.ts", { cwd: tests }).filter((file) =>
    createsApp.test(readFileSync(join(tests, file), "utf8")),
  );
  // The tests of the framework have a small service of their own, with routes that no document has.
  expect(unobserved.filter((file) => !file.startsWith("http/")).toSorted()).toEqual([
    // It measures the time of a refusal.
    "full/callers/anonymous-callers.test.ts",
    "support/conformance/observed-app.ts",
    // It is the intake of an earlier or later release.
    "support/releases/release.ts",
  ]);
});
