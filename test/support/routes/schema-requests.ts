import fc from "fast-check";

// Valid requests, derived from the schemas of the OpenAPI document alone.

// biome-ignore lint/suspicious/noExplicitAny: a schema is read by its keywords
type Schema = any;

/** The schema with the components that it references in their places. */
export function withoutRefs(document: Schema, node: Schema): Schema {
  if (Array.isArray(node)) return node.map((item) => withoutRefs(document, item));
  if (typeof node !== "object" || node === null) return node;
  const name = /^#\/components\/schemas\/(\w+)$/.exec(node.$ref)?.[1];
  if (name) return withoutRefs(document, document.components.schemas[name]);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutRefs(document, value)]));
}

/** Values that a JSON Schema accepts. Throws for a keyword that this file does not know. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, ...rest } = schema;
  const branches: Schema[] | undefined = anyOf ?? oneOf;
  if (branches) return fc.oneof(...branches.map((branch) => valuesOf(merge(rest, branch))));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return textsOf(schema);
    case "integer":
    case "number":
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 });
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valuesOf(schema.items), { minLength: schema.minItems ?? 0, maxLength: schema.maxItems ?? 5 });
    case "object":
      return objectsOf(schema);
    case undefined:
      return fc.oneof(fc.string(), fc.integer(), fc.boolean());
    case "boolean":
      return fc.boolean();
    default:
      throw new Error(`unknown type ${schema.type}`);
  }
}

function textsOf({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  const isInRange = (text: string) => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength;
  };
  if (pattern === "\\S") return fc.string({ unit: "grapheme", minLength }).map((text) => `${text}x`);
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter(isInRange);
  const max = "9999-12-31T00:00:00Z";
  const dates = fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date(max), noInvalidDate: true });
  if (format === "date-time") return dates.map((date) => date.toISOString());
  if (format === "date") return dates.map((date) => date.toISOString().slice(0, 10));
  // The longest texts, of the widest characters, are as valid as short ones.
  const longest = fc.constantFrom("x", "é", "😀").map((character) => character.repeat(maxLength));
  return fc.oneof(
    fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) }).filter(isInRange),
    longest,
  );
}

function objectsOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.entries<Schema>(properties).flatMap(([name, property]) =>
    property.not ? [] : [[name, valuesOf(property)] as const],
  );
  return fc.record(Object.fromEntries(model), { requiredKeys: required.filter((name: string) => name in properties) });
}

/** A schema with the keywords of another one, which must hold as well. */
function merge(one: Schema, other: Schema): Schema {
  const merged = { ...one, ...other };
  if (one.properties && other.properties) {
    const names = [...new Set([...Object.keys(one.properties), ...Object.keys(other.properties)])];
    merged.properties = Object.fromEntries(
      names.map((name) => [name, narrow(one.properties[name] ?? {}, other.properties[name] ?? {})]),
    );
  }
  if (one.required && other.required) merged.required = [...new Set([...one.required, ...other.required])];
  if (one.items && other.items) merged.items = narrow(one.items, other.items);
  return merged;
}

/** Of the alternatives of a schema, those of the other schema's type. */
function narrow(one: Schema, other: Schema): Schema {
  if (!one.anyOf || !other.type) return merge(one, other);
  const { anyOf, ...rest } = one;
  const fitting = anyOf.filter((branch: Schema) => branch.type === other.type);
  const [only] = fitting;
  return fitting.length === 1 ? merge(merge(rest, only), other) : { ...rest, anyOf: fitting };
}

export interface GeneratedRequest {
  readonly path: string;
  readonly init: { readonly method: string; readonly body?: string; readonly headers: Record<string, string> };
}

/**
 * Valid requests to one operation.
 * @param ids values that path parameters and ids in bodies have besides random ones
 * @param omitted parameters whose values must come from elsewhere
 */
export function requestsTo(
  document: Schema,
  { path, method, ids, omitted }: { path: string; method: string; ids: readonly string[]; omitted: readonly string[] },
): fc.Arbitrary<GeneratedRequest> {
  const operation = document.paths[path][method];
  const parameters = (operation.parameters ?? []).map((parameter: Schema) =>
    parameter.$ref ? document.components.parameters[parameter.$ref.split("/").at(-1)] : parameter,
  );
  const byPlace = (place: string) => {
    const chosen = parameters.filter((one: Schema) => one.in === place && !omitted.includes(one.name));
    const values = (one: Schema) =>
      place === "path" ? fc.oneof(fc.constantFrom(...ids), valuesOf(one.schema)) : valuesOf(one.schema);
    const requiredKeys = chosen.filter((one: Schema) => one.required).map((one: Schema) => one.name);
    return fc.record<Record<string, unknown>>(
      Object.fromEntries(chosen.map((one: Schema) => [one.name, values(one)])),
      { requiredKeys },
    );
  };
  const schema = withoutRefs(document, operation.requestBody?.content["application/json"].schema);
  const withId = (body: unknown) =>
    fc
      .constantFrom(...ids)
      .map((id) =>
        typeof body === "object" && body && "conversation_id" in body ? { ...body, conversation_id: id } : body,
      );
  const bodies = schema
    ? valuesOf(schema).chain((body) => fc.oneof(fc.constant(body), withId(body)))
    : fc.constant(undefined);
  return fc
    .record({ inPath: byPlace("path"), query: byPlace("query"), headers: byPlace("header"), body: bodies })
    .map(({ inPath, query, headers, body }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(inPath[name]).toWellFormed()),
      );
      const search = new URLSearchParams(
        Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      );
      return {
        path: `${filled}?${search}`,
        init: {
          method: method.toUpperCase(),
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      };
    });
}
