/** What only people read, and what a field may also be called: such names stay where they name fields. */
const prose = new Set(["description", "summary", "example", "examples", "x-examples", "tags", "info", "license"]);
const maps = new Set(["properties", "headers", "schemas", "responses", "parameters", "paths", "webhooks", "content"]);

/** The document without texts and examples, as the guard compares it with later ones. */
export function withoutProse(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutProse(item));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).filter(([name]) => isMap || !prose.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutProse(value, !isMap && maps.has(name))]));
}
