import { expect, it } from "vitest";
import { type Json, listOperations, type Operation, resolve } from "../../../web/docs/reference/document.ts";
import { operationSection } from "../../../web/docs/reference/operation.ts";
import { errorCodes } from "../../../web/docs/reference/responses.ts";
import { sample } from "../../../web/docs/reference/samples.ts";
import { schemaFields } from "../../../web/docs/reference/schema-fields.ts";
import { clientSnippet, curlSnippet } from "../../../web/docs/reference/snippets.ts";

const text = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
const fields = (schema: Json, document: Json = {}) => schemaFields(document, schema, "request")?.markup ?? "";

const failure = (...codes: string[]) => ({
  description: "It `fails` <b>.",
  content: {
    "application/json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Failure" },
          { properties: { error: { properties: { code: { enum: codes } } } } },
        ],
      },
    },
  },
});

const document: Json = {
  components: {
    schemas: {
      Failure: {
        type: "object",
        properties: { ok: { const: false }, error: { properties: { code: { type: "string" } } } },
      },
      Tree: {
        type: "object",
        properties: {
          name: { type: "string" },
          parts: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
        },
      },
    },
    responses: { Unauthorized: failure("unauthorized") },
    parameters: { TenantSlug: { name: "tenant", in: "query", description: "Its slug.", schema: { type: "string" } } },
  },
  paths: {
    "/v1/things/{thing_id}": {
      post: {
        operationId: "changeThing",
        summary: "Change a <thing>",
        description: "It says `why`.\n\nA signed-in person needs the role `admin` or `owner`.",
        tags: ["Things"],
        security: [{ apiKey: [] }, { session: [], csrfToken: [] }],
        "x-role": "admin",
        "x-key-scopes": ["live"],
        parameters: [
          { name: "thing_id", in: "path", required: true, schema: { type: "string", minLength: 1 } },
          { $ref: "#/components/parameters/TenantSlug" },
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object", properties: { label: { type: "string", maxLength: 20 } }, required: ["label"] },
            },
          },
        },
        responses: {
          200: {
            description: "Changed",
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    ok: { const: true },
                    data: { type: "object", properties: { thing: { type: "string" } }, required: ["thing"] },
                  },
                },
              },
            },
          },
          401: { $ref: "#/components/responses/Unauthorized" },
          409: failure("thing_in_use", "rate_limited"),
        },
      },
    },
  },
};
const [operation] = listOperations(document) as [Operation];

it("an operation has its method, path, texts, callers, parameters, body, data, and every status with its codes", () => {
  const messages = [
    { code: "thing_in_use", message: "It `fails` <b>." },
    { code: "other", message: "It" },
  ];
  const { markup } = operationSection(document, operation, messages);
  const shown = text(markup);
  for (const words of [
    "Change a &#60;thing&#62;",
    "POST / v1/ things/ {thing_id}",
    "It says why .",
    "API key (live) , or session (admin or owner, with the CSRF token)",
    "thing_id string required",
    "tenant string Its slug.",
    "label string required at most 20 characters",
    "200 data Changed",
    "thing string",
    "401 unauthorized It fails &#60;b&#62;.",
    "409 thing_in_use It fails &#60;b&#62;. rate_limited",
  ]) {
    expect(shown).toContain(words);
  }
  expect(shown).not.toContain("needs the role");
  expect(markup).toContain('<section class="operation" id="changeThing">');
  expect(markup).toContain('<a href="/docs/errors#thing_in_use">');
});

it("an operation has the request with curl, and with the client", () => {
  expect(curlSnippet(document, operation)).toBe(
    [
      'curl -sS "{{base_url}}/v1/things/$THING_ID" \\',
      '  -H "Authorization: Bearer $KEY" \\',
      '  -H "Content-Type: application/json" \\',
      "  -d '{",
      '    "label": "help desk"',
      "  }'",
    ].join("\n"),
  );
  expect(clientSnippet(document, operation)).toBe(
    [
      'import { Parley } from "@parley/client";',
      "",
      'const parley = new Parley({ baseUrl: "{{base_url}}", apiKey: process.env.KEY });',
      'const data = await parley.request("POST /v1/things/{thing_id}", {',
      '  path: { thing_id: "…" },',
      '  body: { label: "help desk" },',
      "});",
    ].join("\n"),
  );
});

it("an operation shows what was recorded, quoted for the shell", () => {
  const body = { label: "it's $HOME `id`" };
  const recorded = {
    ...operation,
    declaration: {
      ...operation.declaration,
      "x-examples": [
        {
          name: "thing_in_use",
          summary: "In use",
          request: { method: "POST", path: "/v1/things/1", headers: {} },
          response: { status: 409, headers: {}, body: { ok: false } },
        },
        {
          name: "success",
          summary: "",
          request: { method: "POST", path: "/v1/things/CONV%231?tenant=demo", headers: {}, body },
          response: { status: 200, headers: {}, body: { ok: true, data: { thing: "<t>" } } },
        },
      ],
    },
  };
  const curl = curlSnippet(document, recorded);
  expect(curl).toContain('"{{base_url}}/v1/things/CONV%231?tenant=demo"');
  expect(clientSnippet(document, recorded)).toContain(
    '  path: { thing_id: "CONV#1" },\n  query: { tenant: "demo" },\n',
  );
  expect(curl).toContain(`"label": "it'\\''s $HOME \`id\`"`);
  const { markup } = operationSection(document, recorded);
  expect(text(markup)).toContain("&#60;t&#62;");
  expect(markup.indexOf("Response 200")).toBeLessThan(markup.indexOf("Response 409"));
});

it.each(['/v1/things/"; rm -rf ~', "/v1/$(id)", "/v1/`id`", "/v1/\\", "//evil.example"])(
  "an operation shows no recorded path that a shell would read: %s",
  (path) => {
    const exchange = {
      name: "success",
      summary: "",
      request: { method: "POST", path, headers: {} },
      response: { status: 200, headers: {} },
    };
    const recorded = { ...operation, declaration: { ...operation.declaration, "x-examples": [exchange] } };
    expect(curlSnippet(document, recorded)).toContain('"{{base_url}}/v1/things/$THING_ID"');
  },
);

it("an operation has no call of the client for a page, and a session where no key is accepted", () => {
  const page = { ...operation, path: "/verify", declaration: { security: [] } };
  expect(clientSnippet(document, page)).toBeNull();
  expect(curlSnippet(document, { ...page, method: "GET" })).toBe('curl -sS "{{base_url}}/verify"');
  const forPeople = { ...operation, declaration: { security: [{ session: [], csrfToken: [] }] } };
  expect(curlSnippet(document, forPeople)).toContain(
    '-b "console_session=$SESSION" \\\n  -H "x-csrf-token: $CSRF_TOKEN"',
  );
});

it.each([
  [{ type: "string", minLength: 1, maxLength: 2000 }, "f string 1 to 2,000 characters"],
  [
    { anyOf: [{ type: "string", format: "date-time", pattern: "x".repeat(100) }, { type: "null" }] },
    "f time or null ISO 8601, in UTC",
  ],
  [{ type: ["integer", "null"], minimum: 0, maximum: 9007199254740991 }, "f integer or null"],
  [{ type: "integer", minimum: 1, maximum: 100, default: 50 }, "f integer 1 to 100 · default 50"],
  [{ enum: ["a", "<b>"] }, "f string one of a , &#60;b&#62;"],
  [{ const: "x" }, "f &#34;x&#34;"],
  [
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] }, maxItems: 3 },
    "f array of (string or integer) at most 3 items",
  ],
  [{ description: "Says `it`.", type: "boolean" }, "f boolean Says it ."],
  [{}, "f any value"],
])("%j reads %s", (schema, words) => {
  expect(text(fields({ type: "object", properties: { f: schema } }))).toBe(words);
});

it("a schema names the fields of objects in arrays, alternatives and maps, and what has no valid value not at all", () => {
  const shown = text(
    fields({
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { inner: { type: "string" } } } },
        either: {
          anyOf: [
            { type: "object", properties: { kind: { const: "a" } } },
            { type: "object", properties: { kind: { const: "b" } } },
          ],
        },
        map: { type: "object", additionalProperties: { type: "integer" } },
        forbidden: { not: {} },
      },
    }),
  );
  for (const words of [
    "Fields of list inner string",
    "Variant 1: kind is a",
    "Variant 2: kind is b",
    "(any name) integer",
  ]) {
    expect(shown).toContain(words);
  }
  expect(shown).not.toContain("forbidden");
});

it("a schema says which of several fields is required", () => {
  const schema = { type: "object", properties: { a: {}, b: {} }, oneOf: [{ required: ["a"] }, { required: ["b"] }] };
  expect(text(fields(schema))).toContain("Exactly one of these is required: a , b .");
});

it("a schema ends where it contains itself", () => {
  expect(fields({ $ref: "#/components/schemas/Tree" }, document).length).toBeLessThan(10_000);
  expect(JSON.stringify(sample(document, { $ref: "#/components/schemas/Tree" }))).toBe("{}");
});

it("a schema of a failure has its codes, also in alternatives", () => {
  const { schema } = failure("a", "b").content["application/json"];
  expect(errorCodes(document, schema)).toEqual(["a", "b"]);
  expect(errorCodes(document, { anyOf: [schema, { type: "object" }] })).toEqual(["a", "b"]);
  expect(errorCodes(document, undefined)).toEqual([]);
});

it("a schema with a reference to nothing stops the build", () => {
  expect(() => resolve(document, { $ref: "#/components/schemas/None" })).toThrow("#/components/schemas/None");
});
