import { expect, it } from "vitest";
import { withBooleanConstants, withoutBooleanConstants } from "#http/openapi/boolean-constants.ts";

const document = {
  Deleted: {
    type: "object",
    properties: {
      ok: { type: "boolean", const: true },
      kind: { type: "string", const: "a" },
      done: { type: "boolean" },
    },
    example: { type: "boolean", const: true },
  },
  Failure: { anyOf: [{ type: "boolean", const: false, description: "Never true." }, { type: "null" }] },
};

it("a boolean that has one value never has the other one, and other constants and examples stay", () => {
  expect(withoutBooleanConstants(document)).toEqual({
    Deleted: {
      type: "object",
      properties: {
        ok: { type: "boolean", not: { const: false } },
        kind: { type: "string", const: "a" },
        done: { type: "boolean" },
      },
      example: { type: "boolean", const: true },
    },
    Failure: { anyOf: [{ type: "boolean", description: "Never true.", not: { const: true } }, { type: "null" }] },
  });
});

it("readers who show or type the value get the constants back", () => {
  expect(withBooleanConstants(withoutBooleanConstants(document))).toEqual(document);
});
