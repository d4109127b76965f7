import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { measureCoverage } from "../../../../bin/openapi/describe/coverage.ts";
import { describeDocument } from "../../../../bin/openapi/describe/describe.ts";
import { emptyWords } from "../../../../bin/openapi/describe/empty-words.ts";
import { oneOf, type Texts } from "../../../../bin/openapi/describe/texts.ts";
import { texts as consoleTexts } from "../../../../web/console/webhooks/texts.ts";

const served = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8"));

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Document = any;

/** A document with one operation, one schema and one event. */
const small = (): Document => ({
  tags: [],
  paths: {
    "/v1/things/{id}": {
      get: {
        operationId: "getThing",
        summary: "Get a thing",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "size", in: "query", required: false, schema: { type: "integer" } },
        ],
        responses: { 200: { description: "The request succeeded." } },
      },
    },
  },
  webhooks: {},
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          color: { type: "string", enum: ["red", "blue"] },
          parts: { type: "array", items: { type: "object", properties: { weight: { type: "number" } } } },
        },
      },
    },
  },
});

const texts: Texts = {
  "/v1/things/{id}": "The number on the thing's label.",
  getThing: "Returns the thing with its parts.",
  "getThing?size": "How many parts are returned.",
  Thing: "Something that has a colour.",
  "Thing.color": oneOf("What it looks like.", { red: "As a tomato.", blue: "As the sky." }),
  "Thing.parts": "What the thing is made of.",
  "Thing.parts[].weight": "How heavy it is, in grams.",
};
const sourceOf = (changes: Readonly<Record<string, Texts[string] | undefined>> = {}) => ({
  texts: [
    Object.fromEntries(Object.entries({ ...texts, ...changes }).filter(([, text]) => text !== undefined)) as Texts,
  ],
  alike: {},
  fields: {},
});

it("the published document describes every operation, parameter, field, value and event", () => {
  const { total, described, problems } = measureCoverage(served);
  expect(problems).toEqual([]);
  expect(described).toBe(total);
  expect(total).toBeGreaterThan(1_800);
});

it("a failed connection is named with HTTP/1.1, which a receiver with HTTP/2 alone does not speak", () => {
  const [, tls] = /^- `tls`: (.*)$/m.exec(served.components.schemas.AttemptError.description) ?? [];
  for (const text of [tls, consoleTexts.errors.tls]) expect(text).toContain("HTTP/1.1");
});

describe("the coverage reports", () => {
  const problemsWithout = (change: (document: Document) => void) => {
    const document = describeDocument(small(), sourceOf()) as Document;
    expect(measureCoverage(document).problems).toEqual([]);
    change(document);
    return measureCoverage(document).problems;
  };

  it.each<[string, (document: Document) => void, string]>([
    [
      "an operation",
      ({ paths }) => delete paths["/v1/things/{id}"].get.description,
      "getThing (/v1/things/{id}): has no description.",
    ],
    [
      "a parameter",
      ({ paths }) => delete paths["/v1/things/{id}"].get.parameters[1].description,
      "getThing: the parameter size: has no description.",
    ],
    ["a schema", ({ components }) => delete components.schemas.Thing.description, "Thing: has no description."],
    [
      "a field inside a list",
      ({ components }) => delete components.schemas.Thing.properties.parts.items.properties.weight.description,
      "Thing.parts[].weight: has no description.",
    ],
    [
      "a value",
      ({ components }) => components.schemas.Thing.properties.color.enum.push("green"),
      "Thing.color: the value green has no description.",
    ],
  ])("%s without a description", (_, change, problem) => {
    expect(problemsWithout(change)).toContain(problem);
  });

  it.each([{ type: ["integer", "null"] }, { anyOf: [{ $ref: "#/components/schemas/Thing" }, { type: "null" }] }])(
    "a nullable field that does not say when it is null: %j",
    (schema) => {
      const problemsWith = (description: string) =>
        problemsWithout(({ components }) => {
          components.schemas.Thing.properties.parts = { ...schema, description };
        });
      expect(problemsWith("What the thing is made of.")).toEqual(["Thing.parts: does not say when it is null."]);
      expect(problemsWith("What the thing is made of. Null before it is built.")).toEqual([]);
    },
  );

  it("a title that is long or has a remark", () => {
    for (const title of ["", "Get a thing (returned once)", `Get a ${"very ".repeat(20)}long thing`]) {
      const problems = problemsWithout(({ paths }) => {
        paths["/v1/things/{id}"].get.summary = title;
      });
      expect(problems).toEqual([expect.stringContaining("getThing: the summary is no short title")]);
    }
  });
});

it.each([
  ["id", "The id."],
  ["id", "The id of the object."],
  ["conversation_id", "The id of the conversation."],
  ["participantHandle", "A participant's handle."],
  ["created_at", "Time."],
  ["size", "how many bytes it has."],
  ["size", "How many bytes it has"],
])("a description of %s is refused that says nothing or is no sentence: %s", (name, description) => {
  expect(emptyWords(name, description)).not.toBeNull();
});

it("a description is accepted that says more than the name", () => {
  expect(emptyWords("conversation_id", "The conversation to which the message belongs.")).toBeNull();
  expect(emptyWords("ok", "Always `true`: the request succeeded.")).toBeNull();
});

describe("the descriptions of a document are refused", () => {
  it.each<[string, Readonly<Record<string, Texts[string] | undefined>>, string]>([
    [
      "of what it does not have",
      { "Thing.colour": "A field with another spelling." },
      "Thing.colour: the document does not have it.",
    ],
    [
      "without one of the values",
      { "Thing.color": oneOf("What it looks like.", { red: "As a tomato." }) },
      "Thing.color: the value blue has no description.",
    ],
    [
      "with a value too many",
      { "Thing.color": oneOf("What it looks like.", { red: "A.", blue: "B.", green: "C." }) },
      "Thing.color: there is no value green.",
    ],
  ])("the descriptions of a document are refused %s", (_, changes, problem) => {
    expect(() => describeDocument(small(), sourceOf(changes))).toThrow(problem);
  });

  it("a description is refused beside one of the declaration itself", () => {
    const document = small();
    document.components.schemas.Thing.properties.parts.description = "Its parts, of which it is made.";
    expect(() => describeDocument(document, sourceOf())).toThrow("Thing.parts: is described twice.");
  });
});

it("a place that is alike has the descriptions of the other one, and its own ones win", () => {
  const document = small();
  const { Thing } = document.components.schemas;
  document.components.schemas.Toy = structuredClone(Thing);
  const source = sourceOf({ Toy: "A thing to play with.", "Toy.parts": "What children take apart." });
  const { components } = describeDocument(document, { ...source, alike: { Toy: "Thing" } }) as Document;
  const { color, parts } = components.schemas.Toy.properties;
  expect(color.description).toContain("- `red`: As a tomato.");
  expect(parts.description).toBe("What children take apart.");
  expect(parts.items.properties.weight.description).toBe("How heavy it is, in grams.");
});
