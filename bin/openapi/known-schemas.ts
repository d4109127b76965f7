import type { Json } from "#http/openapi/schemas.ts";

/** The schema with a reference in place of each part that equals one of the components. */
export function withKnownSchemas(schema: unknown, components: Json): unknown {
  const names = new Map(Object.entries(components).map(([name, component]) => [JSON.stringify(component), name]));
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== "object" || node === null) return node;
    const { additionalProperties, ...plain } = node as Json;
    const name = names.get(JSON.stringify(additionalProperties === false ? plain : node));
    if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return replace(schema);
}
