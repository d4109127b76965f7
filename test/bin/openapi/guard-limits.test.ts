import { describe, expect, it } from "vitest";
import type { Json } from "#http/openapi/schemas.ts";
import { compareDocuments } from "../../../bin/openapi/guard/documents.ts";
import { publishedDocument } from "../../../bin/openapi/published-document.ts";

/** A document of one operation. */
const documentOf = (operation: Json) => ({ paths: { "/x": { get: operation } } });

function compareOne(released: Json, current: Json): string[] {
  return compareDocuments({ released: documentOf(released), current: documentOf(current) });
}

describe("of one schema of a request", () => {
  const problemsOf = (released: Json, current: Json) =>
    compareOne({ requestBody: bodyOf(released), responses: {} }, { requestBody: bodyOf(current), responses: {} });
  const bodyOf = (field: Json) => ({
    content: { "application/json": { schema: { type: "object", properties: { field } } } },
  });

  it.each<[string, Json, Json, string]>([
    ["a step of numbers", { type: "number" }, { type: "number", multipleOf: 5 }, "has another multipleOf."],
    ["different members", { type: "array" }, { type: "array", uniqueItems: true }, "has another uniqueItems."],
    ["fewer fields", { type: "object" }, { type: "object", maxProperties: 1 }, "maxProperties is now 1."],
    ["more fields", { type: "object" }, { type: "object", minProperties: 2 }, "minProperties is now 2."],
    [
      "a field beside another",
      { type: "object" },
      { type: "object", dependentRequired: { a: ["b"] } },
      "has another dependentRequired.",
    ],
    ["a value less", { type: "string" }, { type: "string", not: { const: "x" } }, "has another not."],
    ["a type where any was accepted", {}, { type: "string" }, "no longer accepts any value."],
    ["one type of two", { type: ["string", "null"] }, { type: "string" }, "no longer accepts null."],
    ["another default", { type: "boolean", default: false }, { type: "boolean", default: true }, "default was false."],
    [
      "another default of alternatives",
      { anyOf: [{ type: "boolean" }, { type: "null" }], default: null },
      { anyOf: [{ type: "boolean" }, { type: "null" }], default: true },
      "the default was null.",
    ],
  ])("the guard names that an object requires %s", (_, released, current, problem) => {
    expect(problemsOf(released, current)).toEqual([expect.stringContaining(problem)]);
    expect(problemsOf(current, released)).toEqual(current.default === undefined ? [] : [expect.any(String)]);
  });

  it("a choice between parts may become a choice between whole objects, and a field that it loses is named", () => {
    const nullable = (type: string) => ({ anyOf: [{ type }, { type: "null" }] });
    const parts = {
      type: "object",
      properties: { text: nullable("string"), file: nullable("number") },
      oneOf: [
        { required: ["text"], properties: { text: { type: "string" }, file: { type: "null" } } },
        { required: ["file"], properties: { file: { type: "number" }, text: { type: "null" } } },
      ],
    };
    const whole = (field: string, type: string) => ({
      type: "object",
      properties: { [field]: { type } },
      required: [field],
    });
    const both = { oneOf: [whole("text", "string"), whole("file", "number")] };
    expect(problemsOf(parts, both)).toEqual([]);
    expect(problemsOf(parts, whole("text", "string"))).toContainEqual(
      expect.stringContaining("field.file: was removed."),
    );
    const closed = { oneOf: both.oneOf.map((one) => ({ ...one, additionalProperties: false })) };
    expect(problemsOf(parts, closed)).toContainEqual(expect.stringContaining("accepts no further fields."));
  });

  it("a list that commas separate may have further values, and has all that it had", () => {
    const listOf = (values: string) => ({ type: "string", pattern: `^(${values})(,(${values}))*$` });
    expect(problemsOf(listOf("a|b"), listOf("a|new\\.value|b"))).toEqual([]);
    for (const pattern of [listOf("a|c").pattern, listOf("a").pattern, "^(a|b)(,(a))*$", "^(a|b|c)$"])
      expect(problemsOf(listOf("a|b"), { type: "string", pattern })).toEqual([
        expect.stringContaining("has another pattern."),
      ]);
    expect(problemsOf({ type: "string", pattern: "^(a|b)$" }, listOf("a|b|c"))).toHaveLength(1);
  });
});

it("a header that was required must stay so", () => {
  const answered = (required: boolean) => ({ responses: { 200: { headers: { etag: { required, schema: {} } } } } });
  expect(compareOne(answered(true), answered(false))).toEqual(["GET /x: 200: the header etag may now be absent."]);
  expect(compareOne(answered(false), answered(true))).toEqual([]);
});

/** Of JSON Schema and OpenAPI, what may narrow a request or change a response. */
const uncompared = [
  ...["then", "contains", "prefixItems", "patternProperties", "dependentSchemas", "unevaluatedItems"],
  ...["unevaluatedProperties", "discriminator", "readOnly", "writeOnly", "nullable"],
  ...["style", "explode", "allowReserved", "callbacks", "links"],
];
const maps = [
  "properties",
  "headers",
  "schemas",
  "responses",
  "paths",
  "webhooks",
  "content",
  "x-examples",
  "examples",
];

it("the document uses nothing that the comparison does not know", () => {
  const used = new Set<string>();
  const collect = (node: unknown, isMap = false): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (!isMap && !Array.isArray(node)) used.add(name);
      if (name !== "example" || isMap) collect(value, !isMap && maps.includes(name));
    }
  };
  const document = publishedDocument() as { readonly components: { readonly schemas: Json } };
  // No operation has it: it names the events, each of which is compared.
  delete document.components.schemas.Event;
  collect(document);
  expect(used).toContain("maxLength");
  expect(uncompared.filter((name) => used.has(name))).toEqual([]);
});
