import { type $ZodType, toJSONSchema } from "zod/v4/core";

export type Json = { [name: string]: unknown };

/**
 * Converts a zod schema to the JSON Schema of an OpenAPI document. Schemas with an id and recursive schemas are added to
 * `components` and referenced. Responses allow additional fields, because a version may add fields.
 */
export function toOpenApiSchema(schema: $ZodType, io: "input" | "output", owner: string, components: Json): Json {
  const rawSchema = toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  const { $schema: _, $defs = {}, ...root } = rawSchema as Json & { $defs?: Json };
  const componentName = (name: string) => (name.startsWith("__") ? `${owner}${name}` : name);
  for (const [name, definition] of Object.entries($defs))
    components[componentName(name)] = rewriteRefs(definition, componentName);
  return rewriteRefs(root, componentName) as Json;
}

function rewriteRefs(node: unknown, componentName: (name: string) => string): unknown {
  if (Array.isArray(node)) return node.map((item) => rewriteRefs(item, componentName));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) =>
      name === "$ref" && typeof value === "string"
        ? [
            name,
            value.replace(/^#\/\$defs\/(.+)$/, (_, target: string) => `#/components/schemas/${componentName(target)}`),
          ]
        : [name, rewriteRefs(value, componentName)],
    ),
  );
}
