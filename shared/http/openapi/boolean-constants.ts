import type { Json } from "./schemas.ts";

// A boolean that always has one value. `const` says it, and generators of clients for C# write an enum of numbers for it,
// which does not compile. Nearly every answer has such a field, `ok`.

/** Says of each boolean that has one value that it never has the other one. Generators read a plain boolean. */
export function withoutBooleanConstants<T>(document: T): T {
  return mapped(document, (schema) => {
    const { const: only, ...rest } = schema;
    return schema.type === "boolean" && typeof only === "boolean" ? { ...rest, not: { const: !only } } : schema;
  });
}

/** What `withoutBooleanConstants` was called with, for readers who show or type the value. */
export function withBooleanConstants<T>(document: T): T {
  return mapped(document, (schema) => {
    const { not, ...rest } = schema;
    const other = (not as Json | undefined)?.const;
    return schema.type === "boolean" && typeof other === "boolean" ? { ...rest, const: !other } : schema;
  });
}

function mapped<T>(node: T, map: (schema: Json) => Json): T {
  if (Array.isArray(node)) return node.map((part) => mapped(part, map)) as T;
  if (typeof node !== "object" || node === null) return node;
  const inner = Object.entries(node).map(([name, value]) => [name, EXAMPLES.has(name) ? value : mapped(value, map)]);
  return map(Object.fromEntries(inner)) as T;
}

const EXAMPLES = new Set(["example", "examples", "x-examples", "default", "enum", "mapping"]);
