import { expect, it } from "vitest";
import * as z from "zod/mini";
import { endpointsFor } from "#http/endpoints-for.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import { addComponent } from "#http/openapi/schemas.ts";
import { consoleRoutes } from "../../functions/console/routes.ts";
import { sampleRoutes } from "./support/sample-routes.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
const asAny = (document: unknown): any => document;
const info = { title: "Things", version: "1.0.0" };
const document = asAny(openApiDocument(sampleRoutes, info));

/** The node, or the component that it references. */
function resolve(root: unknown, node: unknown) {
  const { $ref } = asAny(node);
  return $ref === undefined ? asAny(node) : refTarget(root, $ref);
}

function refTarget(root: unknown, reference: string) {
  return reference
    .slice(2)
    .split("/")
    .reduce((node, name) => node?.[name], asAny(root));
}

/** The codes of a failure's envelope; none of a response without one. */
function codesOf(root: unknown, response: unknown): string[] {
  const schema = resolve(root, response).content?.["application/json"]?.schema ?? {};
  const schemas: unknown[] = schema.anyOf ?? [schema];
  return schemas.flatMap((one) => resolve(root, one).properties?.error?.properties.code.enum ?? []);
}

it("the OpenAPI document has an operation for every route, named as declared", () => {
  expect(document.openapi).toBe("3.1.0");
  expect(document.info).toEqual(info);
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  );
  expect(operations.sort()).toEqual(sampleRoutes.map(({ operation }) => operation).sort());
});

it("the OpenAPI document has path, shared and declared parameters", () => {
  const { parameters } = document.paths["/v1/things"].get;
  expect(parameters.slice(0, 3)).toEqual([
    { $ref: "#/components/parameters/TenantSlug" },
    { $ref: "#/components/parameters/Limit" },
    { $ref: "#/components/parameters/Cursor" },
  ]);
  expect(parameters[3]).toEqual({
    name: "direction",
    in: "query",
    required: false,
    schema: { type: "string", enum: ["inbound", "outbound"] },
  });
  expect(parameters[4]).toMatchObject({ name: "include_test", required: false });
  expect(document.paths["/v1/large"].get.parameters[0]).toMatchObject({ name: "bytes", required: true });
  expect(document.paths["/v1/things/{id}"].get.parameters[0]).toMatchObject({
    name: "id",
    in: "path",
    required: true,
  });
});

it("the OpenAPI document has the body and whether it is required", () => {
  const requestBody = document.paths["/v1/things"].post.requestBody;
  expect(requestBody.required).toBe(true);
  expect(requestBody.content["application/json"].schema.$ref).toMatch(/Request$/);
  expect(resolve(document, requestBody.content["application/json"].schema).required).toEqual(["text"]);
  expect(document.paths["/v1/keys"].post.requestBody.required).toBe(false);
  expect(document.paths["/intake"].post.requestBody.content).toEqual({ "*/*": {} });
});

it("the OpenAPI document excludes the field name that every body is refused for", () => {
  const { schema } = document.paths["/v1/things"].post.requestBody.content["application/json"];
  expect(resolve(document, schema).propertyNames).toEqual({ not: { const: "__proto__" } });
});

it("the OpenAPI document has the data in its envelope under every success status", () => {
  const { responses } = document.paths["/v1/things/{id}"].delete;
  for (const status of [200, 202]) {
    const { schema } = responses[status].content["application/json"];
    expect(schema).toMatchObject({ type: "object", properties: { ok: { const: true } }, required: ["ok", "data"] });
    expect(resolve(document, schema.properties.data)).toEqual({
      type: "object",
      properties: { done: { type: "boolean" } },
      required: ["done"],
    });
  }
  expect(document.paths["/v1/things"].post.responses).toHaveProperty("201");
  expect(document.paths["/"].get.responses[301]).not.toHaveProperty("content");
});

it("the OpenAPI document has each refusal under its status with its code, declared and common", () => {
  const { responses } = document.paths["/v1/things"].post;
  expect(Object.keys(responses)).toEqual(["201", "400", "401", "403", "413", "429", "500", "502", "503"]);
  expect(codesOf(document, responses[400])).toEqual(["invalid_request"]);
  expect(codesOf(document, responses[429])).toEqual(["rate_limited"]);
  expect(codesOf(document, responses[502])).toEqual(["send_failed"]);
  expect(resolve(document, responses[429]).headers).toHaveProperty("retry-after");
  const statuses = Object.keys(document.paths["/v1/facts"].get.responses);
  expect(statuses).toEqual(["200", "400", "413", "429", "500", "503"]);
});

it("the OpenAPI document has the empty response of a route that may give one", () => {
  const { responses } = asAny(openApiDocument(consoleRoutes, info)).paths["/console/auth/verify"].get;
  expect(Object.keys(responses)).toEqual(["200", "204", "302", "400", "401", "413", "429", "500", "503"]);
  expect(responses[204]).not.toHaveProperty("content");
  expect(Object.keys(responses[302].headers)).toEqual(["x-correlation-id", "location", "set-cookie"]);
  expect(Object.keys(responses[401].content)).toEqual(["application/json", "text/html"]);
});

it("the OpenAPI document has only the refusals that a session can get: of its tenant, its role and a write", () => {
  const consoleDocument = asAny(openApiDocument(consoleRoutes, info));
  const { paths } = consoleDocument;
  const codes = (path: string, method: string) =>
    Object.values(paths[path][method].responses)
      .flatMap((response) => codesOf(consoleDocument, response))
      .sort();
  const common = ["internal_error", "invalid_request", "payload_too_large", "rate_limited", "unauthorized"];
  expect(codes("/console/me", "get")).toEqual(common);
  expect(codes("/console/tenants", "get")).toEqual(common);
  expect(codes("/console/auth/logout", "post")).toEqual(["csrf_failed", ...common]);
  expect(codes("/console/team", "get")).toEqual(["forbidden", ...common, "tenant_required"].sort());
  for (const path of Object.values<Record<string, object>>({ ...document.paths, ...paths })) {
    if (path.get) expect(JSON.stringify(path.get)).not.toMatch(/csrf_?failed/i);
  }
});

it("the OpenAPI document names the credentials of a route, with the CSRF token where a session writes, and the role", () => {
  const things = document.paths["/v1/things"];
  expect(things.get.security).toEqual([{ apiKey: [] }, { session: [] }]);
  expect(things.post.security).toEqual([{ apiKey: [] }, { session: [], csrfToken: [] }]);
  expect(things.get["x-role"]).toBe("agent");
  expect(things.get.description).toBe("A signed-in person needs the role `agent`, `admin` or `owner`.");
  expect(document.paths["/v1/facts"].get.security).toEqual([]);
  expect(document.components.securitySchemes.session).toMatchObject({ in: "cookie", name: "console_session" });
  expect(document.components.securitySchemes.csrfToken).toMatchObject({ in: "header", name: "x-csrf-token" });
  expect(document.components.securitySchemes.apiKey).toMatchObject({ type: "http", scheme: "bearer" });
});

it("the OpenAPI document defines schemas with an id once, and resolves every reference", () => {
  const thing = z.object({ id: z.string() }).register(z.globalRegistry, { id: "Thing" });
  const tree = z.object({
    get branches() {
      return z.array(tree);
    },
  });
  const endpoint = endpointsFor<object>();
  const declared = endpoint.tenant({
    operation: "listTrees",
    method: "GET",
    path: "/v1/trees",
    summary: "Trees",
    tag: "Trees",
    role: "agent",
    data: () => z.object({ thing, other: thing, tree }),
    handle: async () => ({ thing: { id: "1" }, other: { id: "2" }, tree: { branches: [] } }),
  });
  const generated = asAny(openApiDocument([...sampleRoutes, declared], info));
  expect(generated.components.schemas.Thing).toMatchObject({ type: "object", required: ["id"] });
  expect(generated.components.schemas.Thing).not.toHaveProperty("id");
  const references = [...JSON.stringify(generated).matchAll(/"\$ref":"([^"]+)"/g)].map(([, path = ""]) => path);
  expect(references.length).toBeGreaterThan(3);
  for (const reference of references) expect(refTarget(generated, reference), reference).toBeDefined();
});

it("the OpenAPI document refuses two different schemas of one name", () => {
  const components = { schemas: {}, responses: {} };
  const add = (type: string) => addComponent(components, "schemas", { name: "Thing", definition: { type } });
  expect([add("string"), add("string")]).toEqual(Array(2).fill({ $ref: "#/components/schemas/Thing" }));
  expect(() => add("number")).toThrow("Two of the schemas are named Thing.");
});
