import { type $ZodType, toJSONSchema } from "zod/v4/core";

export type Json = { [name: string]: unknown };

/** What operations share, by name. */
export interface Components {
  readonly schemas: Json;
  readonly responses: Json;
}

/** A schema of a route: of what it reads ("input") or of what it answers ("output"). */
export interface SchemaUse {
  readonly schema: $ZodType;
  readonly io: "input" | "output";
  /** The operation, which names its recursive schemas. */
  readonly owner: string;
}

/**
 * Converts a zod schema to the JSON Schema of an OpenAPI document. Schemas with an id and recursive schemas are added to
 * `components` and referenced. Responses allow additional fields, because a version may add fields.
 */
export function toOpenApiSchema(components: Components, { schema, io, owner }: SchemaUse): Json {
  const rawSchema = toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      removeDatePattern(jsonSchema);
    },
  });
  const { $schema: _, $defs = {}, ...root } = rawSchema as Json & { $defs?: Json };
  const componentName = (name: string) => (name.startsWith("__") ? `${owner}${name}` : name);
  for (const [name, definition] of Object.entries($defs)) {
    const { id: _, ...named } = definition as Json;
    addComponent(components, "schemas", { name: componentName(name), definition: rewriteRefs(named, componentName) });
  }
  return rewriteRefs(root, componentName) as Json;
}

/** `SendReply` of `sendReply`. */
export function typeName(operation: string): string {
  return operation.charAt(0).toUpperCase() + operation.slice(1);
}

/** Removes the pattern of a time, of 300 characters, which says no more than its format. */
export function removeDatePattern(schema: { format?: string | undefined; pattern?: string | undefined }): void {
  if (schema.format === "date-time") delete schema.pattern;
}

/** Adds a component and returns the reference to it. Throws when another one has its name. */
export function addComponent(
  components: Components,
  kind: keyof Components,
  { name, definition }: { readonly name: string; readonly definition: unknown },
): { readonly $ref: string } {
  const existing = components[kind][name];
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(definition)) {
    throw new Error(`Two of the ${kind} are named ${name}.`);
  }
  components[kind][name] = definition;
  return { $ref: `#/components/${kind}/${name}` };
}

/** Adds a component, under the name with a number when another one has its name, and returns the reference to it. */
export function addVariant(
  components: Components,
  kind: keyof Components,
  { name, definition }: { readonly name: string; readonly definition: unknown },
): { readonly $ref: string } {
  const text = JSON.stringify(definition);
  const isFree = (candidate: string) => {
    const existing = components[kind][candidate];
    return existing === undefined || JSON.stringify(existing) === text;
  };
  let candidate = name;
  for (let number = 2; !isFree(candidate); number++) candidate = `${name}${number}`;
  return addComponent(components, kind, { name: candidate, definition });
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
