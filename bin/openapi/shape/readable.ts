import type { Json } from "#http/openapi/schemas.ts";

const CHOICES = ["oneOf", "anyOf"] as const;
/** What a part of a choice may be by itself. */
const WHOLE = ["type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf"];

/**
 * What a generator of clients cannot read in a document: a list without `items`, a choice between schemas that are only
 * parts of one, a type that a language does not have, and a name that two kinds of components share. Generators leave the
 * operation out without an error, or write code that does not compile.
 */
export function unreadableSchemas(document: Json): string[] {
  const problems: string[] = [];
  visit(document, "#", problems);
  return [...problems, ...sharedNames(document)];
}

/** A generator makes a type of each schema and of each parameter. */
function sharedNames({ components }: Json): string[] {
  const { schemas = {}, parameters = {} } = (components ?? {}) as Record<string, Json>;
  return Object.keys(parameters)
    .filter((name) => name in schemas)
    .map((name) => `#/components/parameters/${name}: a schema has the same name.`);
}

function visit(node: unknown, path: string, problems: string[]): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Json;
  const isSchema = !path.endsWith("/properties");
  if (isSchema && schema.type === "array" && !("items" in schema)) problems.push(`${path}: a list needs items.`);
  if (isSchema) problems.push(...untyped(schema).map((problem) => `${path}: ${problem}`));
  const isField = isSchema && path.slice(0, path.lastIndexOf("/")).endsWith("/properties");
  if (isField && schema.type === "null") problems.push(`${path}: a field that is always null needs another type.`);
  for (const keyword of isSchema ? CHOICES : []) {
    const parts = schema[keyword];
    if (!Array.isArray(parts)) continue;
    if (["properties", "items"].some((name) => name in schema)) {
      problems.push(`${path}: a schema with fields or items cannot be a choice by ${keyword} as well.`);
    }
    const partial = parts.findIndex((part: Json) => !WHOLE.some((name) => name in part));
    if (partial >= 0) problems.push(`${path}/${keyword}/${partial}: a part of a choice needs a type or a reference.`);
  }
  for (const [name, value] of Object.entries(schema)) {
    if (!EXAMPLES.has(name)) visit(value, `${path}/${name.replaceAll("/", "~1")}`, problems);
  }
}

/** What is no type of a language. */
function untyped({ type, anyOf, const: only }: Json): string[] {
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [];
  const texts = Array.isArray(anyOf) ? anyOf.filter((part: Json) => part.type === "string") : [];
  return [
    ...(types.length > 1 ? ["several types need a choice by anyOf."] : []),
    ...(typeof type === "string" && Array.isArray(anyOf) ? ["a choice within one type needs if and else."] : []),
    ...(texts.length > 1 ? ["a choice between texts needs if and else."] : []),
    ...(type === "boolean" && only !== undefined ? ["a boolean of one value needs `not` with the other one."] : []),
    ...(type === "number" && Number.isInteger(only) ? ["an integer needs the type integer."] : []),
  ];
}

const EXAMPLES = new Set(["example", "examples", "x-examples", "default", "const", "enum"]);
