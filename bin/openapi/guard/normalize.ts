import type { Json } from "#http/openapi/schemas.ts";

/** One way to meet a JSON Schema: without references and lists of alternatives, and with one type at most. */
export interface Alternative extends Json {
  /** Undefined: any. */
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
}

/** The component that the node references, with what stands beside the reference; the node itself without one. */
export function resolve(root: Json, node: Json): Json {
  const { $ref, ...rest } = node;
  if (typeof $ref !== "string") return node;
  const names = $ref
    .slice("#/".length)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = names.reduce<unknown>((part, name) => (part as Json | undefined)?.[name], root);
  if (target === undefined) throw new Error(`${$ref} does not exist.`);
  return { ...resolve(root, target as Json), ...rest };
}

/** What the schema permits, as alternatives. None for a schema that permits nothing. */
export function alternatives(root: Json, schema: Json): Alternative[] {
  const { allOf = [], anyOf, oneOf, if: condition, else: otherwise, ...plain } = resolve(root, schema);
  const toAlternatives = (parts: unknown) => (parts as Json[]).flatMap((part) => alternatives(root, part));
  const conditions = [
    ...(allOf as Json[]).map((part) => alternatives(root, part)),
    // Without `then`, what meets the condition or the other schema.
    ...[anyOf, oneOf, condition === undefined ? undefined : [condition, otherwise ?? {}]]
      .filter((parts) => parts !== undefined)
      .map(toAlternatives),
  ];
  return conditions.reduce(
    (all, more) => all.flatMap((one) => more.flatMap((other) => merge(one, other))),
    byType(withForbiddenField(plain)),
  );
}

/** A field that must be absent as a field that permits nothing, also when it is a condition. */
function withForbiddenField(schema: Json): Json {
  const { not, ...rest } = schema;
  const [name, ...others] = ((not as Json | undefined)?.required ?? []) as string[];
  if (name === undefined || others.length > 0) return schema;
  return { ...rest, properties: { ...(rest.properties as Json), [name]: { not: {} } } };
}

function byType(schema: Json): Alternative[] {
  const { not, type } = schema;
  if (typeof not === "object" && not !== null && Object.keys(not).length === 0) return [];
  if (!Array.isArray(type)) return [schema as Alternative];
  const excluded = (not as Json | undefined)?.type;
  return type.filter((one) => one !== excluded).map((one: string) => ({ ...schema, type: one }));
}

/** What both permit: nothing if their types differ. */
function merge(one: Alternative, other: Alternative): Alternative[] {
  const type = commonType(one.type, other.type);
  if (type === null) return [];
  const merged = {
    ...one,
    ...other,
    ...(type === undefined ? {} : { type }),
    ...(one.enum && other.enum ? { enum: one.enum.filter((value) => other.enum?.includes(value)) } : {}),
    ...(one.required && other.required ? { required: [...new Set([...one.required, ...other.required])] } : {}),
    ...(one.properties && other.properties ? { properties: mergeEach(one.properties, other.properties) } : {}),
    ...(one.items && other.items ? { items: { allOf: [one.items, other.items] } } : {}),
  };
  return [merged as Alternative];
}

function commonType(one: string | undefined, other: string | undefined): string | null | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  return [one, other].sort().join() === "integer,number" ? "integer" : null;
}

function mergeEach(one: Readonly<Record<string, Json>>, other: Readonly<Record<string, Json>>): Record<string, Json> {
  const shared = Object.keys(one).filter((name) => name in other);
  const merged = shared.map((name) => [name, { allOf: [one[name], other[name]] }] as const);
  return { ...one, ...other, ...Object.fromEntries(merged) };
}
