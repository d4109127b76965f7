import { expect, it } from "vitest";
import { flattenChoice } from "../../../bin/client/flatten-choice.ts";
import type { Json } from "../../../bin/client/json.ts";

const schemas: Readonly<Record<string, Json>> = {
  Text: { type: "object", properties: { id: { type: "string" }, text: { type: "string" } }, required: ["id", "text"] },
  Files: {
    type: "object",
    properties: { id: { type: "string" }, files: { description: "What is sent.", type: "array", items: {} } },
    required: ["id", "files"],
  },
};
const resolve = (value: unknown): Json => schemas[(value as { readonly $ref: string }).$ref] ?? {};
const choice = { oneOf: [{ $ref: "Text" }, { $ref: "Files" }] };

it("a choice between objects has the fields of each, and requires what each of them requires", () => {
  expect(flattenChoice({ ...choice, description: "A body." }, resolve)).toEqual({
    description: "A body.",
    type: "object",
    properties: {
      id: { type: "string" },
      text: { anyOf: [{ type: "string" }, { type: "null" }] },
      files: { description: "What is sent.", anyOf: [{ type: "array", items: {} }, { type: "null" }] },
    },
    required: ["id"],
  });
});

it("a choice with a discriminator, and any other schema, stays as it is", () => {
  const events = { ...choice, discriminator: { propertyName: "type" } };
  expect(flattenChoice(events, resolve)).toBe(events);
  const other = { oneOf: [{ $ref: "Text" }, { $ref: "Unknown" }] };
  expect(flattenChoice(other, resolve)).toBe(other);
  expect(flattenChoice(schemas.Text as Json, resolve)).toBe(schemas.Text);
});
