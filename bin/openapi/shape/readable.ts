import type { Json } from "#http/openapi/schemas.ts";

const CHOICES = ["oneOf", "anyOf"] as const;
/** What a part of a choice may be by itself. */
const WHOLE = ["type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf"];

/**
 * What a generator of clients cannot read in a document: a list without `items`, and a choice between schemas that are only
 * parts of one. Generators leave the operation out without an error.
 */
export function unreadableSchemas(document: Json): string[] {
  const problems: string[] = [];
  visit(document, "#", problems);
  return problems;
}

function visit(node: unknown, path: string, problems: string[]): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as Json;
  const isSchema = !path.endsWith("/properties");
  if (isSchema && schema.type === "array" && !("items" in schema)) problems.push(`${path}: a list needs items.`);
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

const EXAMPLES = new Set(["example", "examples", "x-examples", "default", "const", "enum"]);
