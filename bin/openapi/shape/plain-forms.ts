import type { Json } from "#http/openapi/schemas.ts";

// JSON Schema can say one thing in several forms, of which generators of clients read some. They make a class of a choice
// between two kinds of text, stop at a list of types, and name a class for null that they do not write. The document says the
// same in the form that they all read. The conditions `if` and `else`, which they ignore, have what a type cannot express.

const EXAMPLES = new Set(["example", "examples", "x-examples", "default", "const", "enum", "mapping"]);

/** The document with every schema in the form that generators of clients read. Validators accept the same values. */
export function withPlainForms(document: Json): Json {
  return toPlainForm(document, { isField: false, isQuery: false }) as Json;
}

interface Place {
  /** Whether the node is the schema of a field: a part of a choice may be null. */
  readonly isField: boolean;
  /** Whether the node is of a parameter: in a URL everything is text. */
  readonly isQuery: boolean;
}

function toPlainForm(node: unknown, place: Place): unknown {
  if (Array.isArray(node)) return node.map((part) => toPlainForm(part, { ...place, isField: false }));
  if (typeof node !== "object" || node === null) return node;
  const isQuery = place.isQuery || (node as Json).in === "query";
  const inner = Object.entries(node).map(([name, value]) => {
    if (EXAMPLES.has(name)) return [name, value];
    return [name, name === "properties" ? fields(value as Json) : toPlainForm(value, { isField: false, isQuery })];
  });
  return plainSchema(Object.fromEntries(inner), { ...place, isQuery });
}

function fields(properties: Json): Json {
  const plain = Object.entries(properties).map(([name, field]) => [
    name,
    toPlainForm(field, { isField: true, isQuery: false }),
  ]);
  return Object.fromEntries(plain);
}

function plainSchema(node: Json, { isField, isQuery }: Place): Json {
  const schema = withoutForbiddenFields(node);
  const { type, anyOf, ...rest } = schema;
  if (type === "null" && isField) return { ...rest, type: ["string", "null"], not: { type: "string" } };
  if (type === "number" && Number.isInteger(rest.const)) return { ...rest, type: "integer" };
  if (Array.isArray(type) && type.filter((one) => one !== "null").length > 1) {
    return { ...rest, anyOf: type.map((one) => ({ type: one })) };
  }
  if (!Array.isArray(anyOf)) return schema;
  if (isTimeOrNull(anyOf)) return { ...rest, type: ["string", "null"], format: "date-time" };
  // A choice between limits of one type.
  if (typeof type === "string") return { ...rest, type, ...toCondition(anyOf) };
  const texts = anyOf.filter((part: Json) => part.type === "string");
  if (texts.length < 2) return schema;
  const text = { type: "string", ...toCondition(texts.map(({ type: _, ...limits }: Json) => limits)) };
  const others = anyOf.filter((part: Json) => part.type !== "string" && !(isQuery && part.type === "integer"));
  return others.length === 0 ? { ...rest, ...text } : { ...rest, anyOf: [text, ...others] };
}

/** A field that must be absent is a condition: generators make a field of it, and send it as null. */
function withoutForbiddenFields(schema: Json): Json {
  if (typeof schema.properties !== "object" || schema.properties === null) return schema;
  const properties = Object.entries(schema.properties as Record<string, Json>);
  const [forbidden, ...others] = properties.filter(([, field]) => isNothing(field)).map(([name]) => name);
  if (forbidden === undefined) return schema;
  if (others.length > 0) throw new Error(`Only one field of a schema may be forbidden: ${forbidden}, ${others}.`);
  const permitted = properties.filter(([name]) => name !== forbidden);
  return { ...schema, properties: Object.fromEntries(permitted), not: { required: [forbidden] } };
}

function isTimeOrNull([time, nothing, ...others]: readonly Json[]): boolean {
  return others.length === 0 && time?.format === "date-time" && nothing?.type === "null";
}

function isNothing({ not }: Json): boolean {
  return typeof not === "object" && not !== null && Object.keys(not).length === 0;
}

/** What meets at least one of the limits: `{ if: first, else: { if: second, else: third } }`. */
function toCondition(limits: readonly Json[]): Json {
  const [first = {}, ...others] = limits.map(({ type: _, ...rest }) => rest);
  return others.length === 0 ? first : { if: first, else: toCondition(others) };
}
